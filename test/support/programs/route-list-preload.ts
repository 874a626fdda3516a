/**
 * Preloaded into the service (`node --import <this file>?file=<path>`): writes every route of its listeners into the
 * file, one line of JSON each. The service itself does not expose them.
 */
import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';

const file = new URL(import.meta.url).searchParams.get('file') ?? '';

subscribe('fastify.initialization', (message) => {
  (message as { readonly fastify: FastifyInstance }).fastify.addHook('onRoute', ({ method, url, config }) => {
    const { takesForm = false, takesUpload = false } = (config ?? {}) as Readonly<Record<string, unknown>>;
    for (const one of [method].flat()) {
      appendFileSync(file, `${JSON.stringify({ method: one, template: url, takesForm, takesUpload })}\n`);
    }
  });
});
