import 'reflect-metadata';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import {
  type CanActivate,
  Controller,
  type ExecutionContext,
  HttpCode,
  Module,
  Post,
  Query,
  UseGuards,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import * as v from 'valibot';
import { SystemClock } from '../../../src/kernel/clock/clock.js';
import { ServiceError } from '../../../src/kernel/errors/service-error.js';
import { SystemRandom } from '../../../src/kernel/random/random.js';
import { EmbeddedProperties } from '../../../src/platform/http/admission/embedded.properties.js';
import type { HttpRequest } from '../../../src/platform/web/http-request.js';
import { Listener } from '../../../src/platform/http/listener.js';
import { WebModule } from '../../../src/platform/web/web.module.js';
import type { ListenerTls } from '../../../src/platform/http/tls/secure-server.js';
import type { UploadLimits } from '../../../src/platform/http/upload/receive.js';
import { UploadBody, Upload } from '../../../src/platform/web/route.decorator.js';
import { UploadFolder } from '../../../src/platform/http/upload/upload-folder.js';
import type { IncomingUpload } from '../../../src/platform/http/upload/uploads.js';
import { CollectedLog } from '../programs/collected-log.js';
import { temporaryFolder } from '../programs/temporary-folder.js';
import { waitUntil } from '../runner/wait-until.js';

/** Admits requests with the header `x-please`. */
class PoliteGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (context.switchToHttp().getRequest<HttpRequest>().headers['x-please'] !== undefined) return true;
    throw new ServiceError('ACCESS_DENIED');
  }
}

const ANYONE: Parameters<IncomingUpload['use']>[1] = { subject: 'anyone', verify: () => Promise.resolve() };

/** Number of handler runs, and whether waiting handlers may end. */
const seen = { runs: 0, mayEnd: true };

const querySchema = v.strictObject({ then: v.optional(v.picklist(['refuse', 'fail'])) });

@Controller()
class UploadController {
  @Post('upload')
  @HttpCode(200)
  @UploadBody()
  upload(
    @Query({ schema: querySchema }) { then }: v.InferOutput<typeof querySchema>,
    @Upload() upload: IncomingUpload,
  ): Promise<object> {
    return upload.use('file', ANYONE, async ({ path, ...file }) => {
      seen.runs += 1;
      await waitUntil('the handler is released', () => seen.mayEnd);
      if (then === 'refuse') throw new ServiceError('CONFLICT');
      if (then === 'fail') throw new TypeError('a defect');
      return { ...file, mode: (statSync(path).mode & 0o777).toString(8), text: readFileSync(path, 'latin1') };
    });
  }

  @Post('guarded')
  @UploadBody()
  @UseGuards(new PoliteGuard())
  guarded(@Upload() upload: IncomingUpload): Promise<object> {
    return upload.use('file', ANYONE, () => Promise.resolve({}));
  }

  @Post('json')
  @HttpCode(200)
  json(): object {
    return {};
  }
}

@Module({ imports: [WebModule], controllers: [UploadController] })
class UploadModule {}

/** Counts the created files. */
class CountingRandom extends SystemRandom {
  names = 0;

  override text(bytes: number): string {
    this.names += 1;
    return super.text(bytes);
  }
}

export interface UploadService {
  readonly url: string;
  /** Files in the folder now. */
  readonly files: readonly string[];
  /** Number of files created since the start. */
  readonly filesMade: number;
  /** Number of handlers that received a file. */
  readonly runs: number;
  /** Number of requests without a response. */
  readonly inProgress: number;
  readonly log: CollectedLog;
  /** Makes handlers wait until they are released. */
  hold(): void;
  letGo(): void;
  stop(): Promise<void>;
}

/** Starts a service with routes that take uploads. */
export async function startUploadService(
  limits: Partial<UploadLimits> = {},
  embedded = new EmbeddedProperties(),
  tls?: ListenerTls,
): Promise<UploadService> {
  const path = temporaryFolder('uploads');
  const random = new CountingRandom();
  const folder = UploadFolder.open(path, random, new SystemClock());
  const madeAtStart = random.names;
  const log = new CollectedLog();
  const listener = new Listener({
    loggers: log.loggers,
    uploads: {
      folder,
      maxFileBytes: Infinity,
      maxRequestBytes: Infinity,
      maxMillis: Infinity,
      maxPerSender: 8,
      ...limits,
    },
    embedded,
    ...(tls && { tls }),
  });
  const app = await NestFactory.create(UploadModule, listener.adapter, { logger: false, abortOnError: false });
  await app.init();
  const port = await listener.open({ port: 0, address: '127.0.0.1', key: '', addressKey: '' });
  const runsBefore = seen.runs;
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    get files() {
      return readdirSync(path);
    },
    get filesMade() {
      return random.names - madeAtStart;
    },
    get runs() {
      return seen.runs - runsBefore;
    },
    get inProgress() {
      return listener.inProgress;
    },
    log,
    hold: () => (seen.mayEnd = false),
    letGo: () => (seen.mayEnd = true),
    stop: () => app.close(),
  };
}
