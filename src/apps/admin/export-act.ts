import type { Permit } from '../../signin/auth/guards/permit.js';
import type { Act } from './act.js';

/** An export, with the permit of a caller whose rights may end while it goes on; commands have none. */
export interface ExportAct extends Act {
  readonly permit?: Permit;
}

/** Yields the parts of an export, and verifies the caller before each one. @throws ServiceError as `Permit.verifyAccess` */
export async function* whilePermitted<T>(parts: AsyncIterable<T>, { permit }: ExportAct): AsyncGenerator<T> {
  for await (const part of parts) {
    await permit?.verifyAccess();
    yield part;
  }
}
