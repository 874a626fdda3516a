import { notYet } from '../config/effect.js';
import { integer, text } from '../config/key-type.js';
import { Key, Properties } from '../config/properties.decorator.js';

@Properties('app.mail')
export class MailProperties {
  @Key(text({ form: /^[^\s/]+$/, called: 'a host name or an IP address' }), {
    does: 'SMTP relay mail is handed to; unset, no mail is sent.',
    effect: notYet('F'),
  })
  readonly host?: string;

  @Key(integer({ min: 1, max: 65_535 }), { does: 'Port of the SMTP relay.', effect: notYet('F') })
  readonly port: number = 25;
}
