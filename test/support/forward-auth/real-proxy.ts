import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../programs/free-port.js';
import { KeptProcess } from '../programs/kept-process.js';
import { temporaryFolder } from '../programs/temporary-folder.js';
import { type OptionalProxy, programOf } from '../runner/binaries.js';
import { waitUntil } from '../runner/wait-until.js';

const RECIPES = fileURLToPath(new URL('../../../deploy/forward-auth/', import.meta.url));
const HOST = '127.0.0.1';

type ProxyName = 'nginx' | 'nginx with php-fpm' | 'caddy' | 'caddy with php-fpm' | 'haproxy' | OptionalProxy;

/** Ports of what the proxy connects. */
export interface ProxyTargets {
  readonly service: number;
  readonly application: number;
  /** The folder of a PHP application. */
  readonly root?: string;
}

/** A proxy with the deployed recipe for `wiki.example.com`, without TLS on the loopback address. */
export interface RealProxy {
  readonly url: string;
  stop(): Promise<void>;
}

type Replacements = readonly (readonly [from: string | RegExp, to: string])[];

interface Program {
  readonly command: string;
  readonly args: readonly string[];
}

/** Writes the recipe of each proxy into a folder, and returns the command that serves it at the port. */
const WRITERS: Readonly<Record<ProxyName, (folder: string, port: number, targets: ProxyTargets) => Program>> = {
  nginx: (folder, port, targets) => nginx(folder, port, targets, []),
  'nginx with php-fpm': (folder, port, targets) =>
    nginx(folder, port, targets, [
      [/^ {4}proxy_pass http:\/\/127\.0\.0\.1:9000;[^}]*/m, '    include nginx-php.conf;\n  '],
    ]),
  caddy: (folder, port, targets) => caddy(folder, port, targets, []),
  'caddy with php-fpm': (folder, port, targets) =>
    caddy(folder, port, targets, [
      [/^\t*reverse_proxy 127\.0\.0\.1:9000\n/m, ''],
      [/# (?=@script|respond|root|php_fastcgi|\tenv|\})/g, ''],
      ['/var/www/wiki', targets.root ?? folder],
    ]),
  haproxy(folder, port, targets) {
    writeFileSync(join(folder, 'forward-auth.lua'), recipe('forward-auth.lua', targets, []));
    const config = recipe('haproxy.cfg', targets, [
      ['/etc/haproxy/forward-auth.lua', 'forward-auth.lua'],
      ['bind :443 ssl crt /etc/haproxy/wiki.pem', `bind ${HOST}:${port}`],
    ]);
    writeFileSync(join(folder, 'haproxy.cfg'), config);
    return { command: programOf('haproxy'), args: ['-db', '-f', 'haproxy.cfg'] };
  },
  envoy(folder, port, targets) {
    const config = recipe('envoy.yml', targets, [
      [/address: 0\.0\.0\.0, port_value: 443/, `address: ${HOST}, port_value: ${port}`],
      [/transport_socket:\n[^]*? filters:/, 'filters:'],
      [/port_value: 8080/, `port_value: ${targets.service}`],
      [/port_value: 9000/, `port_value: ${targets.application}`],
    ]);
    writeFileSync(join(folder, 'envoy.yml'), config);
    const quiet = ['--use-dynamic-base-id', '--log-level', 'error', '--concurrency', '1'];
    return { command: programOf('envoy'), args: ['-c', 'envoy.yml', ...quiet] };
  },
  traefik(folder, port, targets) {
    writeFileSync(join(folder, 'wiki.yml'), recipe('traefik.yml', targets, [[/^ *tls: \{\}\n/gm, '']]));
    const args = [`--entryPoints.web.address=${HOST}:${port}`, '--providers.file.filename=wiki.yml'];
    return { command: programOf('traefik'), args: [...args, '--global.checkNewVersion=false'] };
  },
};

export async function startProxy(name: ProxyName, targets: ProxyTargets): Promise<RealProxy> {
  const folder = temporaryFolder('proxy');
  const port = await freePort();
  const { command, args } = WRITERS[name](folder, port, targets);
  const process = await KeptProcess.start(command, args, { env: { HOME: folder }, cwd: folder, folder });
  await waitUntil(`${name} is ready`, () => {
    if (process.hasEnded) throw new Error(`${name} did not start:\n${process.stdout}${process.stderr}`);
    return isOpen(port);
  });
  return {
    url: `http://${HOST}:${port}`,
    async stop() {
      await process.stop();
    },
  };
}

interface PhpApplication {
  readonly port: number;
  readonly folder: string;
  stop(): Promise<void>;
}

/** php-fpm with an application of one file that reports what it receives. */
export async function startPhp(script: string): Promise<PhpApplication> {
  const folder = temporaryFolder('php-fpm');
  const port = await freePort();
  writeFileSync(join(folder, 'index.php'), script);
  const pool = ['[wiki]', `listen = ${HOST}:${port}`, 'pm = static', 'pm.max_children = 1'];
  if (globalThis.process.getuid?.() === 0) pool.push('user = root', 'group = root');
  writeFileSync(join(folder, 'fpm.conf'), ['[global]', 'error_log = fpm.log', ...pool].join('\n'));
  const args = ['--nodaemonize', '--allow-to-run-as-root', '--fpm-config', 'fpm.conf', '-p', folder];
  const process = await KeptProcess.start(programOf('php-fpm'), args, { env: {}, cwd: folder });
  await waitUntil('php-fpm is ready', () => {
    if (process.hasEnded) throw new Error(`php-fpm did not start:\n${process.stdout}${process.stderr}`);
    return isOpen(port);
  });
  return {
    ...{ port, folder },
    async stop() {
      await process.stop();
    },
  };
}

function caddy(folder: string, port: number, targets: ProxyTargets, more: Replacements): Program {
  const site: Replacements = [[/^wiki\.example\.com/m, `http://wiki.example.com:${port}`], ...more];
  const options = '{\n\tadmin off\n\tauto_https off\n}\n';
  writeFileSync(join(folder, 'Caddyfile'), options + recipe('Caddyfile', targets, site));
  return { command: programOf('caddy'), args: ['run', '--config', 'Caddyfile', '--adapter', 'caddyfile'] };
}

function nginx(folder: string, port: number, targets: ProxyTargets, more: Replacements): Program {
  cpSync('/etc/nginx/fastcgi_params', join(folder, 'fastcgi_params'));
  const site = recipe('nginx.conf', targets, [
    ['listen 443 ssl;', `listen ${HOST}:${port};`],
    [/^ *ssl_.*\n/gm, ''],
    ...more,
  ]);
  writeFileSync(join(folder, 'site.conf'), site);
  const php = [['/var/www/wiki', targets.root ?? folder]] as const;
  writeFileSync(join(folder, 'nginx-php.conf'), recipe('nginx-php.conf', targets, php));
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((each) => `${each}_temp_path ${each};`);
  const http = `http { access_log off; ${paths.join(' ')} include site.conf; }`;
  const user = globalThis.process.getuid?.() === 0 ? 'user root;' : '';
  writeFileSync(join(folder, 'nginx.conf'), `daemon off; pid nginx.pid; ${user} error_log stderr; events {} ${http}`);
  return { command: programOf('nginx'), args: ['-p', folder, '-e', 'stderr', '-c', 'nginx.conf'] };
}

/** A recipe with other ports; each replacement must apply. */
function recipe(file: string, { service, application }: ProxyTargets, more: Replacements): string {
  const ports: Replacements = [
    [/127\.0\.0\.1:8080/g, `${HOST}:${service}`],
    [/127\.0\.0\.1:9000/g, `${HOST}:${application}`],
  ];
  let text = readFileSync(join(RECIPES, file), 'utf8');
  for (const [from, to] of more) {
    if (!text.includes(typeof from === 'string' ? from : (from.exec(text)?.[0] ?? '\0')))
      throw new Error(`${file} has no ${String(from)}`);
    text = text.replace(from, to);
  }
  for (const [from, to] of ports) text = text.replace(from, to);
  return text;
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, HOST);
    socket.once('error', () => {
      resolve(false);
    });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}
