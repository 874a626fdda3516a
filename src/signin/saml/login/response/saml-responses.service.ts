import { setImmediate as nextRound } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../kernel/clock/clock.js';
import type { Logger } from '../../../../observability/logging/logger.js';
import { Loggers } from '../../../../observability/logging/loggers.js';
import { type AssertionFacts, readAssertion } from './assertion.js';
import {
  assertionRejection,
  type Expectations,
  responseRejection,
  readResponse,
  type ResponseFacts,
} from './response.js';
import { decodeMessage, readDocument, rejectedAlgorithm } from '../../xml/document-allowlist.js';
import { decryptAssertion } from '../../xml/encrypted-assertion.js';
import type { Idp } from '../../idp/idps.service.js';
import type { XmlElement } from '../../xml/xml-reader.js';
import { readPost } from '../../post-binding.js';
import { isRejection, type SamlRejection } from '../rejection.js';
import { validationRules, wrapAssertion, verifyResponse } from './saml-messages.js';
import type { HttpRequest } from '../../../../platform/web/http-request.js';
import type { ServiceProvider } from '../../sp/service-provider.js';
import { ServiceProviders } from '../../sp/service-providers.service.js';

/** A posted response that passed the allowlist; nothing in it is verified yet. */
export interface PostedResponse {
  /** As it was posted. */
  readonly base64: string;
  readonly document: XmlElement;
  readonly facts: ResponseFacts;
}

/** Reads and verifies what identity providers post (SAML profiles 4.1.4). */
@Injectable()
export class SamlResponses {
  private readonly log: Logger;
  private lastVerification: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly clock: Clock,
    private readonly sps: ServiceProviders,
    loggers: Loggers,
  ) {
    this.log = loggers.get('saml');
  }

  /** Reads an unverified response, which only serves to find the request that it answers. */
  read(base64: string, { name }: Pick<Idp, 'name'>): PostedResponse | SamlRejection {
    const xml = decodeMessage(base64);
    if (xml === undefined) return 'malformed';
    const document = readDocument(xml);
    if (document === 'algorithm') this.logAlgorithm(name, rejectedAlgorithm(xml));
    if (isRejection(document)) return document;
    const facts = readResponse(document);
    return isRejection(facts) ? facts : { base64, document, facts };
  }

  /**
   * Verifies and validates a response to `inResponseTo`, and returns the facts of its assertion or why it is rejected. If no
   * known key signed it, the trust settings are renewed, and with new certificates the response is verified again.
   */
  async verify(
    posted: PostedResponse,
    idp: Idp,
    origin: Pick<HttpRequest, 'protocol' | 'host'>,
    inResponseTo: string | undefined,
  ): Promise<AssertionFacts | SamlRejection> {
    const sp = this.sps.of(idp, origin);
    const { certificates } = idp.trust();
    const found = await this.verifyOnce(posted, idp, sp, inResponseTo);
    if (found !== 'signature' || !(await idp.hasNewCertificates(certificates))) return found;
    return this.verifyOnce(posted, idp, sp, inResponseTo);
  }

  private async verifyOnce(
    posted: PostedResponse,
    idp: Idp,
    sp: ServiceProvider,
    inResponseTo: string | undefined,
  ): Promise<AssertionFacts | SamlRejection> {
    const { facts } = posted;
    const trust = idp.trust();
    const rules = validationRules(idp.properties);
    const { clockSkewMillis: skewMillis, maxAgeMillis } = rules;
    const { entityId: issuer } = trust;
    const expected = { issuer, audience: sp.entityId, recipient: sp.acsUrl, inResponseTo, skewMillis, maxAgeMillis };
    const rejection = responseRejection(facts, expected);
    if (rejection === 'status')
      this.log.debug('The identity provider responded with a failure status', {
        idp: idp.name,
        status: facts.status.reason,
      });
    if (rejection !== undefined) return rejection;
    // A signature that is present must be valid, even if none is required.
    const signedResponse = rules.signedResponse || facts.isSigned;
    const readable = facts.isEncrypted ? await this.decrypt(posted, idp, sp, signedResponse) : posted;
    if (isRejection(readable)) return readable;
    const parties = { trust, sp, rules: { ...rules, signedResponse: signedResponse && !facts.isEncrypted } };
    const { assertion, rejection: ofLibrary } = await this.oneAtATime(() =>
      verifyResponse(parties, readable.base64, inResponseTo, this.clock.millis()),
    );
    if (ofLibrary !== undefined)
      this.log.debug('The SAML library rejected a response', { idp: idp.name, why: ofLibrary });
    if (assertion === undefined) return 'signature';
    const validated = this.validate(assertion, expected);
    // A rejection by the library for a reason that the service does not know is a rejection, too.
    return ofLibrary === undefined || isRejection(validated) ? validated : 'structure';
  }

  /** Decrypts the assertion of a response; if the response is signed, only its signed text is read. */
  private async decrypt(
    { base64, document, facts: { inResponseTo } }: PostedResponse,
    idp: Idp,
    { keys }: ServiceProvider,
    isResponseSigned: boolean,
  ): Promise<Pick<PostedResponse, 'base64'> | SamlRejection> {
    const { certificates } = idp.trust();
    const signed = isResponseSigned
      ? await this.oneAtATime(() => readPost(base64, 'Response', certificates))
      : undefined;
    if (isRejection(signed)) return signed;
    const response = signed ? readDocument(signed.xml) : document;
    if (isRejection(response)) return response;
    const opened = decryptAssertion(response, { privateKey: keys?.decryptionKey, isResponseSigned });
    if ('assertion' in opened) return { base64: wrapAssertion(opened.assertion, inResponseTo) };
    if ('algorithm' in opened) this.logAlgorithm(idp.name, opened.algorithm);
    return opened.rejection;
  }

  private logAlgorithm(idp: string, algorithm: string | undefined): void {
    this.log.debug('A response uses an algorithm that is not accepted', { idp, algorithm });
  }

  /**
   * Runs verifications one after the other, with other work in between. The library blocks the process while it verifies, for
   * up to about 0.3 s with two certificates, so many at once would delay every other request until the last one is done.
   */
  private oneAtATime<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.lastVerification.then(() => nextRound()).then(work);
    this.lastVerification = mine.catch(() => undefined);
    return mine;
  }

  private validate(signed: string, expected: Expectations): AssertionFacts | SamlRejection {
    const assertion = readAssertion(signed);
    if (isRejection(assertion)) return assertion;
    return assertionRejection(assertion, expected, this.clock.millis()) ?? assertion;
  }
}
