import * as v from 'valibot';
import { listOf, text } from '../../platform/web/schema.js';
import { MAX_MESSAGE_LENGTH } from './xml/document-allowlist.js';
import { MAX_RELAY_STATE_LENGTH } from './redirect-binding.js';

/** Query of `GET /saml/{idp}/login`. */
export const startSsoSchema = v.strictObject({
  return_to: v.optional(
    v.pipe(
      v.string(),
      v.description(
        'Path of this service, or address of an allowed origin, to return to; any other value means the home page.',
      ),
    ),
  ),
  acr: v.optional(
    v.pipe(text(255), v.description('`urn:login:acr:mfa`, or an offered context class: requests a new proof of it.')),
  ),
  prompt: v.optional(
    v.pipe(
      v.literal('login'),
      v.description('The user must authenticate again at the identity provider, so that the login is fresh here.'),
    ),
  ),
});

/** Form of `POST /saml/{idp}/acs` (SAML bindings 3.5.4). */
export const responseSchema = v.object({
  SAMLResponse: text(2 * MAX_MESSAGE_LENGTH),
  RelayState: v.optional(v.pipe(v.string(), v.maxLength(80))),
});

/** Form of `POST /saml/{idp}/slo`, with either `SAMLRequest` or `SAMLResponse`. */
export const logoutSchema = v.object({
  SAMLRequest: v.optional(text(2 * MAX_MESSAGE_LENGTH)),
  SAMLResponse: v.optional(text(2 * MAX_MESSAGE_LENGTH)),
  RelayState: v.optional(v.pipe(v.string(), v.maxLength(MAX_RELAY_STATE_LENGTH))),
});

/** `GET /saml`. */
export const idpsResponse = v.object({
  items: listOf(
    v.object({
      idp: v.pipe(v.string(), v.description('Name in paths, and in the claim `idp` of tokens.')),
      name: v.pipe(v.string(), v.description('Display name.')),
      login: v.pipe(v.string(), v.description('Path that starts a login.')),
    }),
  ),
});
