import { Controller, Get, Post } from '@nestjs/common';

/** Requests that stay in progress until the test lets them go. */
export class Held {
  /** Big answers given so far. */
  bigAnswers = 0;
  private readonly doors: (() => void)[] = [];

  /** How many are in progress. */
  get count(): number {
    return this.doors.length;
  }

  /** Lets the longest one go. */
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

/** The one of the test file: a controller is made by the framework. */
export const held = new Held();

@Controller('held')
export class HeldController {
  @Get()
  async get(): Promise<object> {
    await held.enter();
    return { held: true };
  }

  /** More than sockets take without being read. */
  @Get('big')
  big(): object {
    held.bigAnswers += 1;
    return { text: 'x'.repeat(1_000_000) };
  }

  @Post()
  async post(): Promise<object> {
    await held.enter();
    return { held: true };
  }
}
