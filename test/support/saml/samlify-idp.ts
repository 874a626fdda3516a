import { Constants, IdentityProvider, SamlLib, ServiceProvider, setSchemaValidator } from 'samlify';
import { type KeyPair, messageId, PASSWORD_CLASS, PERSISTENT, SUCCESS } from './saml-xml.js';

/** Options of a response; by default a password login without groups, with a signed assertion only. */
export interface Habits {
  readonly signsResponse?: boolean;
  /** Without it, nothing is encrypted. */
  readonly cipher?: keyof typeof CIPHER;
  readonly classRef?: string;
  readonly person?: string;
  readonly group?: string;
  readonly sessionIndex?: string;
}

/** A received message: a query with its signed octets, or the fields of a form. */
export interface ArrivedMessage {
  readonly binding: 'redirect' | 'post';
  readonly query?: Record<string, string>;
  readonly octetString?: string;
  readonly body?: Record<string, string>;
}

const { RSA_SHA256 } = Constants.algorithms.signature;
const { RSA_OAEP_MGF1P } = Constants.algorithms.encryption.key;
const CIPHER = {
  'aes128-gcm': Constants.algorithms.encryption.data.AES_128_GCM,
  'aes256-cbc': Constants.algorithms.encryption.data.AES_256,
};
const BASIC_NAMES = 'urn:oasis:names:tc:SAML:2.0:attrname-format:basic';
const LIFETIME_MILLIS = 300_000;
/** The library requires a validator from its user. */
const AUTHN_STATEMENT =
  '<saml:AuthnStatement AuthnInstant="{AuthnInstant}" SessionIndex="{SessionIndex}"><saml:AuthnContext>' +
  '<saml:AuthnContextClassRef>{AuthnContextClassRef}</saml:AuthnContextClassRef>' +
  '</saml:AuthnContext></saml:AuthnStatement>';

/** An identity provider based on samlify, which requires signed requests and verifies them. */
export class SamlifyIdp {
  constructor(
    private readonly name: string,
    private readonly keyPair: KeyPair,
  ) {
    // Schemas are in other packages; signatures and parsing do not depend on them.
    setSchemaValidator({ validate: () => Promise.resolve('not looked at') });
  }

  /** XML text of its metadata. */
  get metadata(): string {
    return this.entity().getMetadata();
  }

  /** Responds to the request of the service with these metadata; throws if its signature is invalid. */
  async answer(
    { binding, ...request }: ArrivedMessage,
    serviceMetadata: string,
    habits: Habits = {},
  ): Promise<{ readonly SAMLResponse: string; readonly RelayState: string }> {
    const idp = this.entity(habits.cipher);
    const sp = service(serviceMetadata, habits.signsResponse);
    const { extract } = await idp.parseLoginRequest(sp, binding, request);
    const relayState = (request.query ?? request.body)?.['RelayState'] ?? '';
    const inResponseTo = String(extract.request?.['id']);
    const acsUrl = String(sp.entityMeta.getAssertionConsumerService('post'));
    const values = this.valuesFor({ inResponseTo, acsUrl, audience: sp.entityMeta.getEntityID() }, habits);
    const { context } = await idp.createLoginResponse(
      sp,
      { extract },
      'post',
      {},
      {
        relayState,
        // In reverse order, the signed bytes would differ from the sent ones.
        encryptThenSign: true,
        customTagReplacement: (template) => ({
          id: values.ID,
          context: SamlLib.replaceTagsByValue(template, values),
        }),
      },
    );
    return { SAMLResponse: context, RelayState: relayState };
  }

  /** URL with a LogoutRequest for a browser. */
  logoutRequest(
    serviceMetadata: string,
    { person, sessionIndex }: Required<Pick<Habits, 'person' | 'sessionIndex'>>,
  ): string {
    const user = { logoutNameID: person, sessionIndex };
    return this.entity().createLogoutRequest(service(serviceMetadata), 'redirect', user).context;
  }

  /** Reads the LogoutResponse of a service; throws if its signature is invalid. */
  async readLogoutResponse({ binding, ...answer }: ArrivedMessage, serviceMetadata: string): Promise<unknown> {
    return (await this.entity().parseLogoutResponse(service(serviceMetadata), binding, answer)).extract;
  }

  /** URL with a LogoutResponse for a browser. */
  async answerLogout({ binding, ...request }: ArrivedMessage, serviceMetadata: string): Promise<string> {
    const [idp, sp] = [this.entity(), service(serviceMetadata)];
    const { extract } = await idp.parseLogoutRequest(sp, binding, request);
    const relayState = request.query?.['RelayState'];
    return idp.createLogoutResponse(sp, { extract }, 'redirect', relayState === undefined ? {} : { relayState })
      .context;
  }

  /** Builds the same entity each time; it encrypts if a cipher is given. */
  private entity(cipher?: keyof typeof CIPHER): ReturnType<typeof IdentityProvider> {
    return IdentityProvider({
      entityID: `https://${this.name}.idp.test/metadata`,
      signingCert: this.keyPair.certificate,
      privateKey: this.keyPair.privateKey,
      requestSignatureAlgorithm: RSA_SHA256,
      wantAuthnRequestsSigned: true,
      wantLogoutRequestSigned: true,
      wantLogoutResponseSigned: true,
      nameIDFormat: [PERSISTENT],
      singleSignOnService: this.endpoints('sso'),
      singleLogoutService: this.endpoints('slo'),
      isAssertionEncrypted: cipher !== undefined,
      ...(cipher && { dataEncryptionAlgorithm: CIPHER[cipher], keyEncryptionAlgorithm: RSA_OAEP_MGF1P }),
      loginResponseTemplate: {
        context: SamlLib.defaultLoginResponseTemplate.context.replace('{AuthnStatement}', AUTHN_STATEMENT),
        attributes: [{ name: 'groups', valueTag: 'group', nameFormat: BASIC_NAMES, valueXsiType: 'xs:string' }],
      },
    });
  }

  private endpoints(path: string): { Binding: string; Location: string }[] {
    const { redirect, post } = Constants.namespace.binding;
    return [redirect, post].map((Binding) => ({ Binding, Location: `https://${this.name}.idp.test/${path}` }));
  }

  /** Values of the placeholders of the template. */
  private valuesFor(
    { inResponseTo, acsUrl, audience }: Readonly<Record<'inResponseTo' | 'acsUrl' | 'audience', string>>,
    { classRef = PASSWORD_CLASS, person = 'bob', group = 'Nobody', sessionIndex = messageId() }: Habits,
  ) {
    const now = Date.now();
    const [present, end] = [new Date(now).toISOString(), new Date(now + LIFETIME_MILLIS).toISOString()];
    return {
      ID: messageId(),
      AssertionID: messageId(),
      SessionIndex: sessionIndex,
      Issuer: this.entity().entityMeta.getEntityID(),
      IssueInstant: present,
      AuthnInstant: present,
      ConditionsNotBefore: present,
      ConditionsNotOnOrAfter: end,
      SubjectConfirmationDataNotOnOrAfter: end,
      Destination: acsUrl,
      SubjectRecipient: acsUrl,
      Audience: audience,
      InResponseTo: inResponseTo,
      StatusCode: SUCCESS,
      NameIDFormat: PERSISTENT,
      NameID: person,
      AuthnContextClassRef: classRef,
      attrGroup: group,
    };
  }
}

/** The service provider from its metadata, with signed logout messages required. */
function service(metadata: string, wantMessageSigned = false): ReturnType<typeof ServiceProvider> {
  return ServiceProvider({
    metadata,
    wantMessageSigned,
    wantLogoutRequestSigned: true,
    wantLogoutResponseSigned: true,
  });
}
