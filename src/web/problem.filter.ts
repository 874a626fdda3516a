import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply } from 'fastify';

/** Passes every error of a handler or guard to the listener, which sends all error responses (error-responder.ts). */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  catch(thrown: unknown, host: ArgumentsHost): void {
    const error =
      thrown instanceof Error ? thrown : new Error('something that is no error was thrown', { cause: thrown });
    host.switchToHttp().getResponse<FastifyReply>().send(error);
  }
}
