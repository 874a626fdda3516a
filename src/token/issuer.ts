/** Issuer of our tokens: their claim `iss`, and the base of the URLs in the metadata. */
export class Issuer {
  constructor(readonly url: string) {}
}
