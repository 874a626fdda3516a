import { full } from '../../config/bind/effect.js';
import { flag, text } from '../../config/bind/key-type.js';
import type { SelfChecking, Violation } from '../../config/bind/properties-class.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';

@Properties('management.security')
export class ManagementSecurityProperties implements SelfChecking {
  @Key(flag(), {
    does:
      'Whether callers of management endpoints other than health must say who they are; false opens all that are ' +
      'exposed, and is taken only where management.server.port is a port of their own.',
    effect: full,
  })
  readonly enabled: boolean = true;

  // RFC 7617 section 2: the first colon ends the name.
  @Key(text({ form: /^[^:\p{Cc}]+$/u, called: 'a name without colon and control characters' }), {
    does: 'Name of the account that may call the management endpoints by HTTP Basic.',
    effect: full,
    defaultText: 'none: access tokens with ROLE_MANAGEMENT only',
  })
  readonly user?: string;

  @Key(text({ form: /^[^\p{Cc}]+$/u, called: 'a text without control characters' }), {
    does: 'Password of that account; make it at random and write ${NAME} for it.',
    effect: full,
    defaultText: 'none',
  })
  readonly password?: string;

  violations(): readonly Violation[] {
    if ((this.user === undefined) === (this.password === undefined)) return [];
    return this.user === undefined
      ? [
          {
            property: 'password',
            against: ['user'],
            reason: 'management.security.user is not set',
            action: 'Set management.security.user to the name of the account, or remove its password.',
          },
        ]
      : [
          {
            property: 'user',
            against: ['password'],
            reason: 'management.security.password is not set',
            action: 'Set management.security.password to ${NAME} of a variable with the password, or remove the user.',
          },
        ];
  }
}
