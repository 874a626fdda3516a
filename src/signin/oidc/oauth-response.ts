import type { Reply } from '../../platform/web/cookies.js';
import { OAuthError } from './oauth-error.js';

export type OAuthBody = object;

/** Runs a request of an application; an OAuthError becomes a response in the form of RFC 6749 section 5.2. */
export async function answering(reply: Reply, run: () => Promise<OAuthBody>): Promise<OAuthBody> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    reply.setStatus(error.status);
    if (error.code === 'invalid_client') reply.setHeader('www-authenticate', 'Basic realm="token"');
    return error.body;
  }
}
