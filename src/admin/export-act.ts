import type { Permit } from '../auth/guards/permit.js';
import type { Act } from './act.js';

/** An export, with the permit of a caller whose rights may end while it goes on; commands have none. */
export interface ExportAct extends Act {
  readonly permit?: Permit;
}

/** The same parts, as long as the caller may have them. @throws as `Permit.verifyAccess` does */
export async function* whilePermitted<T>(parts: AsyncIterable<T>, { permit }: ExportAct): AsyncGenerator<T> {
  for await (const part of parts) {
    await permit?.verifyAccess();
    yield part;
  }
}
