import { createServer, type Server } from 'node:https';
import { copyFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import { Configuration } from '../../../src/config/configuration.js';
import { reading } from '../../config/keys/situation.js';
import type { MadeCertificate } from './certificates.js';
import { temporaryFolder } from '../programs/temporary-folder.js';

/** The configuration of these arguments. */
export function configurationOf(args: readonly string[]): Configuration {
  const read = reading({ args });
  if (read.problems.length > 0) throw new Error(JSON.stringify(read.problems));
  return new Configuration(read.environment, read.registry, read.warnings, read.instances);
}

/** Files of a bundle `partner` that a client uses; each change replaces a file at once, as an operator should. */
export class BundleFiles {
  private readonly folder = temporaryFolder('bundle');
  readonly trusted = join(this.folder, 'ca.pem');
  private readonly certificate = join(this.folder, 'own.crt');
  private readonly key = join(this.folder, 'own.key');
  private hasIdentity = false;

  constructor(...authorities: readonly MadeCertificate[]) {
    this.trust(...authorities);
  }

  trust(...authorities: readonly MadeCertificate[]): void {
    this.write(this.trusted, authorities.map(({ pem }) => pem).join(''));
  }

  /** Leaves half of a certificate, as a full disk does. */
  damage(): void {
    this.write(this.trusted, readFileSync(this.trusted, 'utf8').slice(0, 100));
  }

  identify(made: MadeCertificate): this {
    copyFileSync(made.key, `${this.key}.new`);
    renameSync(`${this.key}.new`, this.key);
    this.write(this.certificate, made.pem);
    this.hasIdentity = true;
    return this;
  }

  /** The keys of the bundle, which is reloaded. */
  get args(): readonly string[] {
    const bundle = '--app.ssl.bundle.pem.partner';
    return [
      `${bundle}.truststore.certificate=file:${this.trusted}`,
      `${bundle}.reload-on-update=true`,
      ...(this.hasIdentity
        ? [`${bundle}.keystore.certificate=${this.certificate}`, `${bundle}.keystore.private-key=${this.key}`]
        : []),
    ];
  }

  private write(file: string, text: string): void {
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
  }
}

/** A server over https that responds with the name in the certificate of the client, or `nobody`. */
export async function startNamingServer(
  certificate: MadeCertificate,
  clients?: MadeCertificate,
): Promise<{ readonly server: Server; readonly url: string }> {
  const server = createServer(
    {
      cert: certificate.pem,
      key: readFileSync(certificate.key),
      ...(clients && { ca: clients.pem, requestCert: true, rejectUnauthorized: true }),
    },
    (request, response) => {
      // Empty without a certificate.
      const { subject } = (request.socket as TLSSocket).getPeerCertificate() as Partial<PeerCertificate>;
      response.end(subject ? String(subject.CN) : 'nobody');
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}
