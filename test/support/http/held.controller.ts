import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { HashesPassword } from '../../../src/platform/web/route.decorator.js';

/** Requests that stay in progress until the test releases them. */
class Held {
  /** Number of big responses so far. */
  bigAnswers = 0;
  private readonly doors: (() => void)[] = [];

  /** Number of requests in progress. */
  get count(): number {
    return this.doors.length;
  }

  /** Releases the oldest request. */
  release(): void {
    this.doors.shift()?.();
  }

  releaseAll(): void {
    while (this.doors.length > 0) this.release();
  }

  enter(): Promise<void> {
    return new Promise((resolve) => {
      this.doors.push(resolve);
    });
  }
}

/** The instance of the test file; a global, since the framework creates the controller. */
export const held = new Held();

@Controller('held')
export class HeldController {
  @Get()
  async get(): Promise<object> {
    await held.enter();
    return { held: true };
  }

  /** More than socket buffers hold. */
  @Get('big')
  big(): object {
    held.bigAnswers += 1;
    return { text: 'x'.repeat(1_000_000) };
  }

  @Post('password')
  @HttpCode(200)
  @HashesPassword()
  async password(): Promise<object> {
    await held.enter();
    return { held: true };
  }

  @Post()
  async post(): Promise<object> {
    await held.enter();
    return { held: true };
  }
}
