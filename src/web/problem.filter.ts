import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply } from 'fastify';

/** Hands whatever a handler or guard throws to the listener, which answers all errors the same way (problem.ts). */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  catch(thrown: unknown, host: ArgumentsHost): void {
    const error =
      thrown instanceof Error ? thrown : new Error('something that is no error was thrown', { cause: thrown });
    host.switchToHttp().getResponse<FastifyReply>().send(error);
  }
}
