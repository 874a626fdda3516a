import * as v from 'valibot';
import { listOf, text } from '../web/schema.js';
import { MAX_MESSAGE_LENGTH } from './xml/document-allowlist.js';
import { MAX_RELAY_STATE_LENGTH } from './redirect-binding.js';

/** Query of `GET /saml/{idp}/login`. */
export const startSsoSchema = v.strictObject({
  return_to: v.optional(
    v.pipe(
      v.string(),
      v.description('Path of this service to go to afterwards; anything else stands for the start page.'),
    ),
  ),
  acr: v.optional(
    v.pipe(
      text(255),
      v.description('`urn:login:acr:mfa`, or a context class that is offered: asks for a new proof of it.'),
    ),
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

/** Form of `POST /saml/{idp}/slo`; one of the first two, and not both. */
export const logoutSchema = v.object({
  SAMLRequest: v.optional(text(2 * MAX_MESSAGE_LENGTH)),
  SAMLResponse: v.optional(text(2 * MAX_MESSAGE_LENGTH)),
  RelayState: v.optional(v.pipe(v.string(), v.maxLength(MAX_RELAY_STATE_LENGTH))),
});

/** `GET /saml`. */
export const idpsResponse = v.object({
  items: listOf(
    v.object({
      idp: v.pipe(v.string(), v.description('Its name in paths, and claim `idp` of tokens.')),
      name: v.pipe(v.string(), v.description('For people.')),
      login: v.pipe(v.string(), v.description('Path at which a login begins.')),
    }),
  ),
});
