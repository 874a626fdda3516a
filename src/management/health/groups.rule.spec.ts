import { describe, expect, it } from 'vitest';
import { reading, type Situation } from '../../../test/config/keys/situation.js';
import { configurationOf } from '../../config/configuration.js';
import { RuleFacts } from '../../config/check/rule.js';
import { knownGroupMembers } from './groups.rule.js';

const HEALTH = '--management.endpoint.health';

/** Each problem with its facts and its action, on one line each. */
function found(situation: Situation): readonly string[] {
  const inputs = { args: [], variables: {}, workingFolder: '/nowhere', packageFolder: '/nowhere' };
  const facts = new RuleFacts(configurationOf(reading(situation)), inputs);
  return knownGroupMembers
    .check(facts)
    .map(({ what, facts, action }) => [what, ...facts.map((fact) => fact.join(': ')), action].join('\n'));
}

describe('a health group that names an unknown component', () => {
  it('is reported with key, value, origin and the known components', () => {
    const situation = {
      args: [`${HEALTH}.group.mine.include=ping,dba`],
      files: { 'application.yml': 'management.endpoint.health.group:\n  other:\n    exclude: [db, stores/near]\n' },
    };

    expect(found(situation)).toEqual([
      expect.stringContaining('The health group "mine" names the unknown component "dba"'),
      'The health group "other" names the unknown component "stores/near"\n' +
        'Property: management.endpoint.health.group.other.exclude\n' +
        'Value: "db,stores/near"\n' +
        'Origin: file [application.yml] - 3:15\n' +
        'Reason: the components are db, diskSpace, kvstore, mail, ping, saml, ssl\n' +
        'Set management.endpoint.health.group.other.exclude to some of db, diskSpace, kvstore, mail, ping, saml, ssl, or ' +
        'management.endpoint.health.validate-group-membership to false.',
    ]);
  });

  it('is accepted without validate-group-membership', () => {
    expect(found({ args: [`${HEALTH}.group.mine.include=dba`, `${HEALTH}.validate-group-membership=false`] })).toEqual(
      [],
    );
  });

  it('is not reported for a disabled component', () => {
    const args = ['--management.health.db.enabled=false', `${HEALTH}.group.mine.include=db`];

    expect(found({ args })).toEqual([]);
    expect(found({ args: [...args, `${HEALTH}.group.other.include=x`] })[0]).toContain(
      'are diskSpace, kvstore, mail, ping, saml, ssl\n',
    );
  });

  it.each([
    ['kvstore', '--app.data.kvstore.host=store'],
    ['mail', '--app.mail.host=relay'],
    ['saml', '--app.security.saml.idp.corp.entity-id=urn:corp'],
    ['ssl', '--app.ssl.bundle.pem.web.keystore.certificate=web.pem'],
  ])('A5: is not reported for %s, whether or not its subject is configured', (name, key) => {
    const include = `${HEALTH}.group.mine.include=${name}`;

    expect(found({ args: [include] })).toEqual([]);
    expect(found({ args: [include, key] })).toEqual([]);
  });

  it('is reported for readinessState unless probes are enabled', () => {
    const include = `${HEALTH}.group.mine.include=readinessState`;

    expect(found({ args: [include] })).toHaveLength(1);
    expect(found({ args: [include, `${HEALTH}.probes.enabled=true`] })).toEqual([]);
  });

  it('is reported even if another key of a group is invalid', () => {
    const args = [
      `${HEALTH}.group.a.show-details=maybe`,
      `${HEALTH}.group.b.include=dba`,
      `${HEALTH}.group.a.include=x`,
    ];

    expect(found({ args })).toHaveLength(2);
  });

  it('is not reported for the packaged groups of disabled probes', () => {
    const yml = 'management.endpoint.health.group.readiness.include: readinessState\n';
    const off = { args: [`${HEALTH}.probes.enabled=false`] };

    expect(found({ ...off, packaged: { 'application.yml': yml } })).toEqual([]);
    expect(found({ ...off, files: { 'application.yml': yml } })).toHaveLength(1);
  });
});
