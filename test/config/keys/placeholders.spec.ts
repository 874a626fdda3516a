import { describe, expect, it } from 'vitest';
import { MailProperties } from '../../../src/platform/mail/mail.properties.js';
import { DatasourceProperties } from '../../../src/platform/persistence/datasource.properties.js';
import { LoggingPatternProperties } from '../../../src/observability/logging/logging.properties.js';
import { bound, reading, shownOf, type Situation } from './situation.js';

function mailHost(situation: Situation): string | undefined {
  return bound(situation, MailProperties).host;
}

function file(text: string): Situation {
  return { files: { 'application.yml': text } };
}

describe('placeholders', () => {
  it('C4: the placeholder ${PID} is the id of the process, also beside a variable of that name', () => {
    const situation = { args: ['--app.mail.host=relay-${PID}'], variables: { PID: '1' } };

    expect(mailHost(situation)).toBe(`relay-${process.pid}`);
    expect(shownOf(reading(situation), 'app.mail.host').value).toBe(`relay-${process.pid}`);
  });

  it.each<[string, Situation]>([
    ['a variable', { variables: { RELAY: 'relay' }, ...file('app.mail.host: ${RELAY}') }],
    ['an argument', { args: ['--relay.host=relay'], ...file('app.mail.host: ${relay.host}') }],
    ['a -D argument', { args: ['-Drelay.host=relay'], ...file('app.mail.host: ${relay.host}') }],
    ['a key of the same file', file('app.mail.host: ${relay.host}\nrelay.host: relay\n')],
    ['a key of the service', file('app.mail.host: ${server.address}\nserver.address: relay\n')],
    ['a default', file('app.mail.host: ${RELAY:relay}')],
    ['a default of a default', file('app.mail.host: ${RELAY:${OTHER:relay}}')],
    ['a value with placeholders', file('app.mail.host: ${a}\na: ${b}\nb: relay\n')],
    [
      'a name with placeholders',
      { variables: { ZONE: 'eu' }, ...file('app.mail.host: ${in.${ZONE}}\nin.eu: relay\n') },
    ],
  ])('a placeholder takes the value of %s', (_, situation) => {
    expect(mailHost(situation)).toBe('relay');
  });

  it.each(['relay-host', 'relayHost', 'relay_host', 'RELAYHOST'])(
    'a placeholder finds a key that a file spells %s',
    (spelling) => {
      expect(mailHost(file(`app.mail.host: \${my.relay-host}\nmy.${spelling}: relay\n`))).toBe('relay');
    },
  );

  it.each(['MY_RELAYHOST', 'my_relayhost', 'my.relay-host', 'MY_RELAY_HOST', 'my_relay_host'])(
    'a placeholder finds the variable %s by its key',
    (name) => {
      expect(mailHost({ variables: { [name]: 'relay' }, ...file('app.mail.host: ${my.relay-host}') })).toBe('relay');
    },
  );

  it.each([
    ['my_var', 'MY_VAR'],
    ['My_Var', 'MY_VAR'],
    ['my_relay-host', 'MY_RELAY_HOST'],
    ['my_var.host', 'MY_VAR_HOST'],
  ])('C5: the placeholder ${%s} finds the variable %s', (name, variable) => {
    const variables = { [variable]: 'relay', MYVAR: 'another' };

    expect(mailHost({ variables, ...file(`app.mail.host: \${${name}}`) })).toBe('relay');
  });

  it('a placeholder finds variables of registered keys by key or by name', () => {
    const variables = { SERVER_ADDRESS: 'relay' };

    expect(mailHost({ variables, ...file('app.mail.host: ${server.address}') })).toBe('relay');
    expect(mailHost({ variables, ...file('app.mail.host: ${SERVER_ADDRESS}') })).toBe('relay');
  });

  it('placeholders are resolved in arguments, variables and .properties', () => {
    const variables = { RELAY: 'relay' };

    expect(mailHost({ variables, args: ['--app.mail.host=${RELAY}'] })).toBe('relay');
    expect(mailHost({ variables: { ...variables, APP_MAIL_HOST: '${RELAY}' } })).toBe('relay');
    expect(mailHost({ variables, files: { 'application.properties': 'app.mail.host=${RELAY}' } })).toBe('relay');
  });

  it('a placeholder is looked up in all sources by precedence, not from its own position', () => {
    const situation: Situation = {
      packaged: { 'application.yml': 'app.mail.host: ${relay}\nrelay: packaged\n' },
      files: { 'application.yml': 'relay: working-folder\n' },
    };

    expect(mailHost(situation)).toBe('working-folder');
    expect(mailHost({ ...situation, args: ['--relay=argument'], variables: { RELAY: 'variable' } })).toBe('argument');
    expect(mailHost({ ...situation, variables: { RELAY: 'variable' } })).toBe('variable');
  });

  it('a profile file changes the placeholders of the base file', () => {
    const files = {
      'application.yml': 'app.mail.host: relay.${zone}\nzone: test\n',
      'application-prod.yml': 'zone: production\n',
    };

    expect(mailHost({ files })).toBe('relay.test');
    expect(mailHost({ files, args: ['--app.profiles.active=prod'] })).toBe('relay.production');
  });

  it('the default of a placeholder starts after the first colon', () => {
    const situation = file('app.datasource.url: ${URL:jdbc:sqlite:./x:1.db}');

    expect(bound(situation, DatasourceProperties).url).toBe('jdbc:sqlite:./x:1.db');
  });

  it('the default of a placeholder keeps its braces', () => {
    const situation = file("logging.pattern.console: '${PATTERN:%d{HH:mm} %X{id:--} %m%n}'");

    expect(bound(situation, LoggingPatternProperties).console).toBe('%d{HH:mm} %X{id:--} %m%n');
  });

  it('an escaped placeholder is not resolved', () => {
    const situation = file("logging.pattern.console: '\\${name} %m'");

    expect(bound(situation, LoggingPatternProperties).console).toBe('${name} %m');
  });

  it('a placeholder reads a list as comma text', () => {
    const situation = file('info.hosts: ${relays}\nrelays: [one, two]\n');

    expect(shownOf(reading(situation), 'info.hosts').value).toBe('one,two');
  });

  it('a placeholder may have an empty value', () => {
    const situation: Situation = { variables: { NOTE: '' }, ...file('info.note: ${NOTE}') };

    expect(shownOf(reading(situation), 'info.note').value).toBe('');
  });

  it.each([
    [
      'a key that refers to itself',
      'app.mail.host: ${app.mail.host}',
      'circular: ${app.mail.host} -> ${app.mail.host}',
    ],
    [
      'circle of three',
      'app.mail.host: ${a}\na: ${b}\nb: ${app.mail.host}',
      'circular: ${a} -> ${b} -> ${app.mail.host} -> ${a}',
    ],
    ['circle behind a value', 'app.mail.host: x${a}\na: ${b}\nb: ${a}', 'circular: ${a} -> ${b} -> ${a}'],
    ['circle in a default', 'app.mail.host: ${NONE:${a}}\na: ${a}', 'circular: ${a} -> ${a}'],
  ])('a circular placeholder prevents startup: %s', (_, text, reason) => {
    const { problems } = reading(file(text));

    expect(problems.map(({ facts }) => Object.fromEntries(facts)['Reason'])).toEqual([reason]);
  });

  it('a placeholder without value and default prevents startup, and the error names placeholder, value and origin', () => {
    const { problems } = reading(file('app.mail.host: relay.${ZONE}'));

    expect(problems.map(({ what }) => what)).toEqual(['The placeholder ${ZONE} of app.mail.host has no value']);
    expect(Object.fromEntries(problems[0]?.facts ?? [])).toEqual({
      Property: 'app.mail.host',
      Value: '"relay.${ZONE}"',
      Origin: 'file [application.yml] - 1:16',
      Reason: 'nothing sets ZONE',
    });
  });

  it('the error for a missing nested placeholder names the chain of placeholders', () => {
    const { problems } = reading(file('app.mail.host: ${relay}\nrelay: relay.${ZONE}'));

    expect(Object.fromEntries(problems[0]?.facts ?? [])['Reason']).toBe(
      'nothing sets ZONE, needed by ${relay} -> ${ZONE}',
    );
  });

  it('a placeholder that no effective value uses may have no value', () => {
    expect(mailHost({ ...file('app.mail.host: ${NOBODY}'), args: ['--app.mail.host=relay'] })).toBe('relay');
    expect(reading(file('my.own: ${NOBODY}')).problems).toEqual([]);
  });
});
