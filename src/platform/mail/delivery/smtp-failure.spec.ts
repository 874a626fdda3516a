import { describe, expect, it } from 'vitest';
import { InvalidAddress, smtpFailureOf } from './smtp-failure.js';

const failure = (members: object): Error => Object.assign(new Error('of a relay: anna@example.com'), members);

describe('smtpFailureOf', () => {
  it.each([
    [
      'a rejected recipient',
      { code: 'EENVELOPE', command: 'RCPT TO', responseCode: 550 },
      'mail',
      true,
      'EENVELOPE 550',
    ],
    [
      'a mailbox that is busy',
      { code: 'EENVELOPE', command: 'RCPT TO', responseCode: 450 },
      'mail',
      false,
      'EENVELOPE 450',
    ],
    ['a rejected mail', { code: 'EMESSAGE', command: 'DATA', responseCode: 554 }, 'mail', true, 'EMESSAGE 554'],
    [
      'a rejected sender',
      { code: 'EENVELOPE', command: 'MAIL FROM', responseCode: 550 },
      'relay',
      false,
      'EENVELOPE 550',
    ],
    ['a rejected password', { code: 'EAUTH', command: 'AUTH PLAIN', responseCode: 535 }, 'relay', false, 'EAUTH 535'],
    ['a refused connection', { code: 'ESOCKET', command: 'CONN' }, 'relay', false, 'ESOCKET'],
    ['an aborted attempt', { code: 'EABORT' }, 'relay', false, 'SEND_TIMEOUT'],
    ['an error without a code', {}, 'relay', false, 'ERROR'],
    ['a code that is a sentence', { code: 'anna@example.com is unknown' }, 'relay', false, 'ERROR'],
  ])('classifies %s, without text of the relay', (_, members, scope, isPermanent, errorClass) => {
    expect(smtpFailureOf(failure(members))).toEqual({ scope, isPermanent, errorClass });
  });

  it('an invalid address is a permanent failure of its mail', () => {
    expect(smtpFailureOf(new InvalidAddress('invalid'))).toEqual({
      scope: 'mail',
      isPermanent: true,
      errorClass: 'EADDRESS 553',
    });
  });
});
