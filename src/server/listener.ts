import { FastifyAdapter } from '@nestjs/platform-fastify';

/** What a plain operation answers. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Takes routes that are no controllers, such as the management endpoints, whose paths are configured. */
export interface Routes {
  get(path: string, answer: () => Answer | Promise<Answer>): void;
}

/** Where a listener is to be opened; `key` and `addressKey` name the keys to change when that fails. */
export interface Binding {
  readonly port: number;
  readonly address: string | undefined;
  readonly key: string;
  readonly addressKey: string;
}

/** A listener that could not be opened. */
export class ListenFailure extends Error {
  constructor(
    readonly binding: Binding,
    cause: unknown,
  ) {
    super(`cannot listen on port ${binding.port}`, { cause });
    this.name = 'ListenFailure';
  }

  get code(): string | undefined {
    return (this.cause as NodeJS.ErrnoException).code;
  }
}

/** The HTTP side of one listener, on Fastify. */
export class Listener {
  constructor(readonly adapter = new FastifyAdapter()) {}

  get routes(): Routes {
    const fastify = this.adapter.getInstance();
    return {
      get: (path, answer) => {
        fastify.get(path, async (_request, reply) => {
          const { status, body } = await answer();
          return reply.status(status).header('cache-control', 'no-store').send(body);
        });
      },
    };
  }

  /** Opens the listener, on every address when none is named, and answers the port in use. */
  async open(binding: Binding): Promise<number> {
    const fastify = this.adapter.getInstance();
    const { port, address } = binding;
    try {
      try {
        await fastify.listen({ port, host: address ?? '::' });
      } catch (error) {
        // A machine without IPv6.
        if (address !== undefined || (error as NodeJS.ErrnoException).code !== 'EAFNOSUPPORT') throw error;
        await fastify.listen({ port, host: '0.0.0.0' });
      }
    } catch (error) {
      throw new ListenFailure(binding, error);
    }
    const bound = fastify.server.address();
    return bound !== null && typeof bound === 'object' ? bound.port : port;
  }

  async close(): Promise<void> {
    await this.adapter.getInstance().close();
  }
}
