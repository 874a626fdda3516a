import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/clock.js';
import type { Logger } from '../../../observability/logging/logger.js';
import { Loggers } from '../../../observability/logging/loggers.js';
import { Random } from '../../../kernel/random/random.js';
import { type DerivedKeys, Sealer } from '../../../platform/sealing/sealer.js';
import { readDocument } from '../xml/document-allowlist.js';
import type { IdpProperties } from '../saml.properties.js';
import type { Idp } from '../idp/idps.service.js';
import type { IdpTrust } from '../idp/idp-trust.js';
import {
  expiryOfRequest,
  type LogoutExpectations,
  logoutRejection,
  type LogoutRequestFacts,
  type LogoutResponseFacts,
  readLogoutRequest,
  readLogoutResponse,
} from './logout-message.js';
import { logoutRequestXml, logoutResponseXml, type SessionAtIdp } from './logout-xml.js';
import { readPost, signForPost } from '../post-binding.js';
import { type BindingMessage, type MessageField, readRedirect, redirectUrl } from '../redirect-binding.js';
import { isRejection, type SamlRejection } from '../login/rejection.js';
import type { OutgoingMessage } from '../login/response/saml-messages.js';
import type { ServiceProvider } from '../sp/service-provider.js';

/** A logout message as received: in a query, or in one field of a form. */
export type IncomingLogout =
  | { readonly query: string }
  | { readonly field: MessageField; readonly base64: string; readonly relayState: string | undefined };

/** A message that is signed, addressed to this service, and valid now. */
interface VerifiedLogout {
  readonly facts: LogoutRequestFacts | LogoutResponseFacts;
  readonly relayState: string | undefined;
}

/** The parties of a logout. Without a key, or if the other side accepts none, no message is sent. */
interface LogoutParties {
  readonly idp: string;
  readonly trust: IdpTrust;
  readonly sp: ServiceProvider;
}

/** ID of a request of this service: a nonce, and a MAC over the nonce and the name of the identity provider. */
const ID = /^_([\da-f]{32})([\da-f]{32})$/;
const HALF_BYTES = 16;

/** Reads and verifies logout messages of identity providers, and writes ours (SAML profiles 4.4, bindings 3.4 and 3.5). */
@Injectable()
export class LogoutMessages {
  /** The first key signs; the keys of earlier seal keys still verify. */
  private readonly keys: DerivedKeys;
  private readonly log: Logger;

  constructor(
    sealer: Sealer,
    private readonly clock: Clock,
    private readonly random: Random,
    loggers: Loggers,
  ) {
    this.keys = sealer.derivedKeys('saml-logout');
    this.log = loggers.get('saml');
  }

  /** @throws ServiceError `UNAVAILABLE` without valid metadata of the identity provider */
  async read(sent: IncomingLogout, idp: Idp, sp: ServiceProvider): Promise<VerifiedLogout | SamlRejection> {
    const { certificates, entityId: issuer } = idp.trust();
    const message = 'query' in sent ? readRedirect(sent.query, certificates) : await readForm(sent, certificates);
    if (isRejection(message)) return message;
    const facts = factsOf(message);
    if (isRejection(facts)) return facts;
    const expected = { issuer, destination: sp.sloUrl, ...timesOf(idp.properties) };
    const rejection = logoutRejection(facts, expected, this.clock.millis());
    if (rejection !== undefined) return rejection;
    if (facts.kind === 'response') {
      if (!this.isOwnRequestId(facts.inResponseTo, idp.name)) return 'in_response_to';
      if (!facts.status.isSuccess)
        this.log.info('The identity provider did not end all of its sessions', {
          idp: idp.name,
          status: facts.status.reason,
        });
    }
    return { facts, relayState: message.relayState };
  }

  /** When a request expires, in milliseconds since 1970. */
  expiryOf(request: LogoutRequestFacts, { properties }: Idp): number {
    return expiryOfRequest(request, timesOf(properties));
  }

  /** The MAC lets a response prove that it answers a request of ours, without a table: only the next page depends on it. */
  newRequestId(idp: string): string {
    const nonce = this.random.bytes(HALF_BYTES);
    return `_${nonce.toString('hex')}${signatureOf(this.keys[0], nonce, idp).toString('hex')}`;
  }

  /** Builds a LogoutRequest with an ID of `newRequestId` for a session. */
  async request(parties: LogoutParties, id: string, session: SessionAtIdp): Promise<OutgoingMessage | undefined> {
    const { slo } = parties.trust;
    if (!slo) return undefined;
    const head = { id, issuer: parties.sp.entityId, destination: slo.url, now: this.clock.millis() };
    const message = { field: 'SAMLRequest', xml: logoutRequestXml(head, session), relayState: undefined } as const;
    return this.outgoing(parties, slo.url, message);
  }

  /** Builds the LogoutResponse for a request that was carried out. */
  async response(
    parties: LogoutParties,
    inResponseTo: string,
    relayState: string | undefined,
  ): Promise<OutgoingMessage | undefined> {
    const { slo } = parties.trust;
    if (!slo) return undefined;
    const destination = slo.responseUrl ?? slo.url;
    const id = `_${this.random.bytes(HALF_BYTES).toString('hex')}`;
    const head = { id, issuer: parties.sp.entityId, destination, now: this.clock.millis() };
    return this.outgoing(parties, destination, {
      field: 'SAMLResponse',
      xml: logoutResponseXml(head, inResponseTo),
      relayState,
    });
  }

  private async outgoing(
    { trust, sp: { keys } }: LogoutParties,
    url: string,
    message: BindingMessage,
  ): Promise<OutgoingMessage | undefined> {
    if (!keys) return undefined;
    if (trust.slo?.binding !== 'post') return { url: redirectUrl(url, message, keys.privateKey) };
    const { field, xml, relayState } = message;
    const signed = await signForPost(xml, keys);
    return { url, form: { [field]: signed, ...(relayState !== undefined && { RelayState: relayState }) } };
  }

  private isOwnRequestId(id: string | undefined, idp: string): boolean {
    const [, nonce, signed] = ID.exec(id ?? '') ?? [];
    if (nonce === undefined || signed === undefined) return false;
    const [received, about] = [Buffer.from(signed, 'hex'), Buffer.from(nonce, 'hex')];
    return this.keys.some((key) => timingSafeEqual(signatureOf(key, about, idp), received));
  }
}

async function readForm(
  { field, base64, relayState }: Exclude<IncomingLogout, { readonly query: string }>,
  certificates: readonly string[],
): Promise<BindingMessage | SamlRejection> {
  const read = await readPost(base64, rootOf(field), certificates);
  return isRejection(read) ? read : { field, xml: read.xml, relayState };
}

function factsOf({ field, xml }: BindingMessage): LogoutRequestFacts | LogoutResponseFacts | SamlRejection {
  const document = readDocument(xml, rootOf(field));
  if (isRejection(document)) return document;
  return field === 'SAMLRequest' ? readLogoutRequest(document) : readLogoutResponse(document);
}

function rootOf(field: MessageField): 'LogoutRequest' | 'LogoutResponse' {
  return field === 'SAMLRequest' ? 'LogoutRequest' : 'LogoutResponse';
}

function timesOf({
  clockSkew,
  maxAssertionAge,
}: IdpProperties): Pick<LogoutExpectations, 'skewMillis' | 'maxAgeMillis'> {
  return { skewMillis: clockSkew.milliseconds, maxAgeMillis: maxAssertionAge.milliseconds };
}

function signatureOf(key: KeyObject, nonce: Uint8Array, idp: string): Buffer {
  return createHmac('sha256', key).update(nonce).update(idp).digest().subarray(0, HALF_BYTES);
}
