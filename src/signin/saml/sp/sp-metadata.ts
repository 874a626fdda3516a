import { OFFERED_ENCRYPTION } from '../xml/encrypted-assertion.js';
import type { SamlBinding } from '../idp/idp-trust.js';
import { BINDING_URI, NAMESPACE, xmlAttribute, escapeXml } from '../xml/saml-values.js';
import type { ServiceProvider, SigningKeys } from './service-provider.js';

type DescribedProvider = Omit<ServiceProvider, 'keys'> & { readonly keys?: Pick<SigningKeys, 'certificate'> };

/**
 * Our metadata for an identity provider (SAML metadata 2.4.4); `nameIdFormat` is the requested one, or null. It is not signed:
 * the signature could only be made with the key that it introduces, so it would prove nothing; https protects it. Without a
 * key there is no single logout, whose messages must be signed (SAML profiles 4.4.4).
 */
export function serviceProviderMetadata(
  { entityId, acsUrl, sloUrl, keys }: DescribedProvider,
  nameIdFormat: string | null,
): string {
  const logout = (['redirect', 'post'] as const).map((binding) => endpoint('SingleLogoutService', binding, sloUrl));
  const parts = [
    ...(keys ? [keyDescriptor('signing', keys.certificate), keyDescriptor('encryption', keys.certificate)] : []),
    ...(keys ? logout : []),
    ...(nameIdFormat === null ? [] : [`    <md:NameIDFormat>${escapeXml(nameIdFormat)}</md:NameIDFormat>`]),
    endpoint('AssertionConsumerService', 'post', acsUrl, ' index="0" isDefault="true"'),
  ];
  return `<?xml version="1.0" encoding="UTF-8"?>
<md:EntityDescriptor xmlns:md="${NAMESPACE.metadata}" xmlns:ds="${NAMESPACE.signature}"${xmlAttribute('entityID', entityId)}>
  <md:SPSSODescriptor protocolSupportEnumeration="${NAMESPACE.protocol}" AuthnRequestsSigned="${String(keys !== undefined)}" \
WantAssertionsSigned="true">
${parts.join('\n')}
  </md:SPSSODescriptor>
</md:EntityDescriptor>
`;
}

/** One certificate serves both uses; only algorithms that can be decrypted are offered. */
function keyDescriptor(use: 'signing' | 'encryption', certificate: string): string {
  const { ciphers, keyTransports } = OFFERED_ENCRYPTION;
  const methods = [
    ...ciphers.map((algorithm) => `\n      <md:EncryptionMethod Algorithm="${algorithm}"/>`),
    ...keyTransports.map(
      ({ algorithm, digest, mask }) =>
        `\n      <md:EncryptionMethod Algorithm="${algorithm}"><ds:DigestMethod Algorithm="${digest}"/>` +
        (mask === undefined ? '' : `<xenc11:MGF xmlns:xenc11="${NAMESPACE.encryption11}" Algorithm="${mask}"/>`) +
        '</md:EncryptionMethod>',
    ),
  ];
  const der = certificate.replaceAll(/-----[A-Z ]+-----|\s/g, '');
  return `    <md:KeyDescriptor use="${use}">
      <ds:KeyInfo><ds:X509Data><ds:X509Certificate>${der}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>${
        use === 'encryption' ? methods.join('') : ''
      }
    </md:KeyDescriptor>`;
}

function endpoint(name: string, binding: SamlBinding, location: string, more = ''): string {
  return `    <md:${name} Binding="${BINDING_URI[binding]}"${xmlAttribute('Location', location)}${more}/>`;
}
