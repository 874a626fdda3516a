import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeCertificate } from '../support/http/certificates.js';
import { FakeConsole } from '../support/management/fake-console.js';
import { freePort } from '../support/programs/free-port.js';
import { OPERATOR, startManaged } from '../support/management/management.js';
import { needs } from '../support/runner/needs.js';
import { startService } from '../support/programs/service.js';
import { waitUntil } from '../support/runner/wait-until.js';

describe('console registration', () => {
  let console: FakeConsole;
  beforeEach(async () => {
    console = await FakeConsole.start();
  });
  afterEach(async () => {
    await console.stop();
  });

  const firstCall = async (): Promise<FakeConsole['calls'][number]> =>
    waitUntil('the console receives a registration', () => console.calls[0]);

  it('the service registers the actual URLs of its listeners and deregisters at shutdown', async () => {
    const service = await startManaged({
      args: [
        `--app.boot.admin.client.url=${console.url}`,
        '--management.server.port=0',
        '--server.servlet.context-path=/login-api',
      ],
    });
    const { managementUrl = '', url } = service;

    expect(await firstCall()).toMatchObject({
      method: 'POST',
      path: '/instances',
      body: {
        name: 'login-service',
        managementUrl,
        healthUrl: `${managementUrl}/health`,
        serviceUrl: url,
        metadata: { startup: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/) as string },
      },
    });
    const { body } = await service.operator.get('/scheduledtasks');
    await service.stop();

    expect(body['fixedDelay']).toContainEqual(
      expect.objectContaining({
        runnable: { target: 'ConsoleRegistration.register' },
        initialDelay: 0,
        interval: 10_000,
      }),
    );
    expect(console.calls.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /instances',
      'DELETE /instances/instance%2F1',
    ]);
  });

  it('the registration sends the configured name, URLs and metadata with the credentials for the console', async () => {
    const prefix = '--app.boot.admin.client';
    const service = await startManaged({
      args: [
        `${prefix}.url=${console.url}/admin/`,
        `${prefix}.username=login`,
        `${prefix}.password=open-sesame`,
        `${prefix}.instance.name=login-a`,
        `${prefix}.instance.management-url=https://ops.example/login/actuator`,
        `${prefix}.instance.metadata.user.name=ops`,
        `${prefix}.instance.metadata.user.password=\${management.security.password}`,
      ],
    });
    const call = await firstCall();
    await service.stop();

    expect(call).toMatchObject({
      path: '/admin/instances',
      headers: { authorization: `Basic ${Buffer.from('login:open-sesame').toString('base64')}` },
      body: {
        name: 'login-a',
        managementUrl: 'https://ops.example/login/actuator',
        healthUrl: 'https://ops.example/login/actuator/health',
        serviceUrl: service.url,
        metadata: { 'user.name': 'ops', 'user.password': 'an-operator-of-the-login-service' },
      },
    });
  });

  it('the registration sends no management credentials unless metadata configures them', async () => {
    const service = await startManaged({ args: [`--app.boot.admin.client.url=${console.url}`] });
    const call = await firstCall();
    await service.stop();

    expect(Object.keys((call.body as { readonly metadata: object }).metadata)).toEqual(['startup']);
    expect(JSON.stringify(call)).not.toContain(OPERATOR.password);
  });

  it('an unreachable console affects neither startup nor health nor shutdown', async () => {
    const service = await startManaged({ args: [`--app.boot.admin.client.url=http://127.0.0.1:${await freePort()}`] });

    const { status } = await service.operator.get('/health');

    expect(status).toBe(200);
    expect(await service.stop()).toBe(0);
    expect(service.stdout).toContain('Stopped\n');
  });
});

needs('openssl')('console registration over TLS', () => {
  it('the service registers with a console whose CA is in NODE_EXTRA_CA_CERTS and sends its own https URLs', async () => {
    const certificate = makeCertificate();
    const secure = await FakeConsole.start(0, certificate);
    const pem = '--app.ssl.bundle.pem.web.keystore';
    const service = await startService({
      args: [
        `--app.boot.admin.client.url=${secure.url}`,
        `${pem}.certificate=${certificate.certificate}`,
        `${pem}.private-key=${certificate.key}`,
        '--server.ssl.bundle=web',
      ],
      env: { NODE_EXTRA_CA_CERTS: certificate.certificate },
    });
    const call = await waitUntil('the console receives a registration', () => secure.calls[0]);
    await service.stop();
    await secure.stop();

    expect(service.url).toMatch(/^https:/);
    expect(call.body).toMatchObject({ serviceUrl: service.url, managementUrl: `${service.url}/actuator` });
    expect(secure.calls.map(({ method }) => method)).toEqual(['POST', 'DELETE']);
  });

  it('L1: the service sends nothing to a console with an untrusted certificate', async () => {
    const secure = await FakeConsole.start(0, makeCertificate());
    const service = await startManaged({
      args: [
        `--app.boot.admin.client.url=${secure.url}`,
        '--app.boot.admin.client.username=login',
        '--app.boot.admin.client.password=open-sesame',
      ],
    });
    await waitUntil('the failure is logged', () => /cannot be reached: \w*SELF_SIGNED/.test(service.stdout));
    await service.stop();
    await secure.stop();

    expect(secure.calls).toEqual([]);
  });
});
