import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram, programOf } from '../runner/binaries.js';
import { freePort } from '../programs/free-port.js';
import { type Answer, HttpClient } from '../http/http-client.js';
import { KeptProcess } from '../programs/kept-process.js';
import { formOf } from '../pages/pages.js';
import { bare, type Binding, BINDING_URI, type KeyPair, PERSISTENT } from './saml-xml.js';
import { temporaryFolder } from '../programs/temporary-folder.js';
import { waitUntil } from '../runner/wait-until.js';

/** Its folder in the package of Debian and Ubuntu. */
const PROGRAM = '/usr/share/simplesamlphp';
const HOST = '127.0.0.1';

/** True if it is installed; tests do not require it. */
export const HAS_SIMPLE_SAML_PHP = findProgram('php') !== null && existsSync(join(PROGRAM, 'www'));

/** Options for a service; by default it signs only the assertion and reports a password login. */
export interface Treatment {
  readonly isEncrypted?: boolean;
  readonly signsResponse?: boolean;
  readonly classRef?: string;
  /** PEM of the certificate for signatures of the service, in place of the one in its metadata. */
  readonly certificate?: string;
}

/** The form that it sends a browser to post. */
export interface SignedInForm {
  readonly acsUrl: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** A real identity provider, SimpleSAMLphp, on the loopback address: `ada` with the password `adapass` in two groups. */
export class SimpleSamlPhp {
  private constructor(
    private readonly folder: string,
    private readonly url: string,
    private readonly server: KeptProcess,
  ) {}

  static async start(keyPair: KeyPair): Promise<SimpleSamlPhp> {
    const folder = temporaryFolder('simplesamlphp');
    const port = await freePort();
    const url = `http://${HOST}:${port}/simplesaml`;
    for (const name of ['config', 'metadata', 'cert', 'data', 'log', 'tmp']) mkdirSync(join(folder, name));
    writeFileSync(join(folder, 'cert/idp.crt'), keyPair.certificate);
    writeFileSync(join(folder, 'cert/idp.pem'), keyPair.privateKey);
    writeFileSync(join(folder, 'config/config.php'), returning('config', configuration(folder, url)));
    writeFileSync(join(folder, 'config/authsources.php'), returning('config', SOURCES));
    writeFileSync(join(folder, 'metadata/saml20-idp-hosted.php'), returning('metadata', { '__DYNAMIC:1__': HOSTED }));
    writeFileSync(join(folder, 'metadata/saml20-sp-remote.php'), returning('metadata', {}));
    writeFileSync(join(folder, 'router.php'), ROUTER);
    const env = { SIMPLESAMLPHP_CONFIG_DIR: join(folder, 'config') };
    const args = ['-S', `${HOST}:${port}`, 'router.php'];
    const server = await KeptProcess.start(programOf('php'), args, { env, cwd: folder, folder });
    const made = new SimpleSamlPhp(folder, url, server);
    await waitUntil('SimpleSAMLphp is ready', async () => {
      if (server.hasEnded) throw new Error(`PHP did not start:\n${server.stdout}${server.stderr}`);
      return (await fetch(made.metadataUrl).catch(() => undefined))?.ok;
    });
    return made;
  }

  get metadataUrl(): string {
    return `${this.url}/saml2/idp/metadata.php`;
  }

  /** XML text of its metadata. */
  async metadata(): Promise<string> {
    return (await fetch(this.metadataUrl)).text();
  }

  /** Replaces its known services by this one. */
  introduce(serviceMetadata: string, treatment: Treatment = {}): void {
    const { isEncrypted = false, signsResponse = false, classRef, certificate } = treatment;
    writeFileSync(join(this.folder, 'metadata/service.xml'), serviceMetadata);
    const more = {
      'simplesaml.nameidattribute': 'uid',
      'saml20.sign.response': signsResponse,
      'assertion.encryption': isEncrypted,
      'validate.logout': true,
      'sign.logout': true,
      ...(certificate !== undefined && {
        keys: [{ type: 'X509Certificate', signing: true, encryption: false, X509Certificate: bare(certificate) }],
      }),
      ...(classRef !== undefined && {
        authproc: { 10: { class: 'saml:AuthnContextClassRef', AuthnContextClassRef: classRef } },
      }),
    };
    writeFileSync(join(this.folder, 'metadata/saml20-sp-remote.php'), `${returning('more', more)}${PARSED}`);
  }

  /** A browser for this identity provider. */
  client(): HttpClient {
    return new HttpClient(this.url);
  }

  /** Signs in `ada` for an AuthnRequest in the URL or in a form. */
  async signIn(client: HttpClient, to: string, fields?: Readonly<Record<string, string>>): Promise<SignedInForm> {
    const first = await client.send(fields ? 'POST' : 'GET', this.pathOf(to), fields && { form: fields });
    const login = await this.followed(client, first);
    const { fields: hidden } = formOf(client, login);
    const [path = ''] = login.request.replace(/^\w+ /, '').split('?');
    const form = { ...hidden, username: 'ada', password: 'adapass' };
    const answer = await this.followed(client, await client.send('POST', path, { form }));
    const { path: acsUrl, fields: posted } = formOf(client, answer);
    const { SAMLResponse, RelayState = '' } = posted;
    if (SAMLResponse === undefined) throw new Error(`${answer.request} posts no response:\n${answer.text}`);
    return { acsUrl, fields: { SAMLResponse, RelayState } };
  }

  /** Redirect target of `url`. */
  async sendsOn(client: HttpClient, url: string): Promise<string> {
    const { request, text, headers } = await this.followed(client, await client.get(this.pathOf(url)));
    const location = headers.get('location');
    if (location === null) throw new Error(`${request} sends nobody on:\n${text}`);
    return location;
  }

  /** URL that starts a single logout. */
  get leaveUrl(): string {
    return `${this.url}/saml2/idp/SingleLogoutService.php?ReturnTo=${encodeURIComponent(this.leftUrl)}`;
  }

  /** URL after a completed single logout. */
  get leftUrl(): string {
    return `${this.url}/left.php`;
  }

  async stop(): Promise<void> {
    this.server.signal('SIGTERM');
    await this.server.exit;
  }

  private pathOf(url: string): string {
    if (!url.startsWith(this.url)) throw new Error(`${url} is not at ${this.url}`);
    return url.slice(this.url.length);
  }

  private async followed(client: HttpClient, answer: Answer): Promise<Answer> {
    const location = answer.headers.get('location');
    if (location === null || !location.startsWith(this.url) || location === this.leftUrl) return answer;
    return this.followed(client, await client.get(this.pathOf(location)));
  }
}

const SOURCES = {
  people: { 0: 'exampleauth:UserPass', 'ada:adapass': { uid: ['ada'], groups: ['Treasury', 'Unknown'] } },
};

const HOSTED = {
  host: '__DEFAULT__',
  privatekey: 'idp.pem',
  certificate: 'idp.crt',
  auth: 'people',
  NameIDFormat: PERSISTENT,
  SingleSignOnServiceBinding: (['redirect', 'post'] satisfies Binding[]).map((binding) => BINDING_URI[binding]),
};

function configuration(folder: string, url: string): PhpArray {
  return {
    baseurlpath: `${url}/`,
    ...Object.fromEntries(
      Object.entries({
        certdir: 'cert',
        loggingdir: 'log',
        datadir: 'data',
        tempdir: 'tmp',
        metadatadir: 'metadata',
      }).map(([key, name]) => [key, `${join(folder, name)}/`]),
    ),
    secretsalt: 'of a test',
    'auth.adminpassword': 'of a test',
    timezone: 'UTC',
    'logging.handler': 'errorlog',
    'enable.saml20-idp': true,
    'module.enable': { core: true, saml: true, exampleauth: true },
    'session.cookie.secure': false,
    'session.phpsession.savepath': join(folder, 'tmp'),
    'metadata.sources': [{ type: 'flatfile' }],
  };
}

/** Rewrites paths, since the web server of PHP treats `/module.php/core/page` as a file. */
const ROUTER = `<?php
$root = '${PROGRAM}/www';
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
if (!preg_match('#^/simplesaml(/[\\w/-]+?\\.php)(/.*)?$#', $path, $parts) || !is_file($root . $parts[1])) {
  http_response_code(404);
  return true;
}
$_SERVER['SCRIPT_NAME'] = '/simplesaml' . $parts[1];
$_SERVER['PHP_SELF'] = $path;
$_SERVER['SCRIPT_FILENAME'] = $root . $parts[1];
$_SERVER['PATH_INFO'] = $parts[2] ?? '';
chdir(dirname($root . $parts[1]));
require $root . $parts[1];
`;

/** Parses metadata with its own parser. */
const PARSED = `$parsed = \\SimpleSAML\\Metadata\\SAMLParser::parseFile(__DIR__ . '/service.xml')->getMetadata20SP();
$metadata[$parsed['entityid']] = array_merge($parsed, $more);
`;

type PhpValue = string | number | boolean | PhpArray | readonly PhpValue[];
interface PhpArray {
  readonly [key: string]: PhpValue;
}

/** A PHP file that sets a variable from JSON. */
function returning(variable: string, value: PhpArray): string {
  const json = JSON.stringify(value).replaceAll('\\', '\\\\').replaceAll("'", "\\'");
  return `<?php\n$${variable} = json_decode('${json}', true);\n`;
}
