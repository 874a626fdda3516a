import { Readable } from 'node:stream';
import { Controller, Get, StreamableFile } from '@nestjs/common';
import { held } from './held.controller.js';

/** Streams whose end the test decides. */
@Controller('streamed')
export class StreamedController {
  /** A short stream. */
  @Get()
  short(): StreamableFile {
    return new StreamableFile(Readable.from(['one part']));
  }

  /** Sends one part, and the rest once the test releases it. */
  @Get('held')
  held(): StreamableFile {
    return new StreamableFile(Readable.from(parts()));
  }

  /** Responds with a stream once the test releases it. */
  @Get('late')
  async late(): Promise<StreamableFile> {
    await held.enter();
    return this.short();
  }

  /** Fails after its first part. */
  @Get('failing')
  failing(): StreamableFile {
    return new StreamableFile(Readable.from(failingParts()));
  }
}

async function* parts(): AsyncGenerator<string> {
  yield 'the first part';
  await held.enter();
  yield 'the last part';
}

async function* failingParts(): AsyncGenerator<string> {
  yield 'the first part';
  await Promise.reject(new Error('the database is gone'));
}
