/** First bytes of JKS and JCEKS files. */
const JKS = ['feedfeed', 'cececece'];

export const CONVERT_JKS =
  'Convert it with keytool -importkeystore -srckeystore <file> -destkeystore <new file> -deststoretype pkcs12.';

export function isJks(bytes: Buffer): boolean {
  return JKS.includes(bytes.subarray(0, 4).toString('hex'));
}
