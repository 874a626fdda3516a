import { full } from '../config/bind/effect.js';
import { objects, text } from '../config/bind/key-type.js';
import { Key, Members, Properties } from '../config/bind/properties.decorator.js';

/** One client of the introspection endpoint. */
@Members()
export class ClientProperties {
  @Key(text({ form: /^[\x21-\x7e]{16,512}$/, called: 'a text of 16 to 512 visible ASCII characters' }), {
    does: 'Secret by which the client authenticates (HTTP Basic); make it at random and write ${NAME} for it.',
    effect: full,
  })
  readonly secret?: string;
}

@Properties('app.security')
export class ClientsProperties {
  @Key(objects(ClientProperties, 'id'), {
    does: 'Services that may ask whether an access token is live (POST /token/introspect), by their ids.',
    effect: full,
  })
  readonly clients: ReadonlyMap<string, ClientProperties> = new Map();
}
