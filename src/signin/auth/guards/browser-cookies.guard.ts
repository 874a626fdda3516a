import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { DeviceCookies } from '../../../identity/account/throttle/device-cookies.service.js';
import { isSecretForm } from '../../../identity/session/session.js';
import { TrustedDeviceList } from '../../../identity/second-factor/trusted-device/trusted-device-list.service.js';
import { SessionRefresh } from '../../../identity/session/session-refresh.service.js';
import { Sessions } from '../../../identity/session/sessions.service.js';
import { cookieValues, readAs } from '../../../platform/web/cookies.js';
import type { HttpRequest } from '../../../platform/web/http-request.js';
import { AuthCookies, DEVICE, REFRESH_TOKEN, SESSION, SIGN_IN_FORM, TRUSTED_DEVICE } from '../cookies.js';

type IsOwn = (value: string) => boolean | Promise<boolean>;

/**
 * Chooses the cookies of this service among those that arrive: a browser does not tell who has set one, and several with the same
 * name arrive in an order that other services can influence (RFC 6265 section 8.6).
 */
@Injectable()
export class BrowserCookiesGuard implements CanActivate {
  private readonly areOwn: Readonly<Record<string, IsOwn>>;

  constructor(
    private readonly cookies: AuthCookies,
    sessions: Sessions,
    refresh: SessionRefresh,
    devices: DeviceCookies,
    trustedDevices: TrustedDeviceList,
  ) {
    this.areOwn = {
      [SESSION]: async (value) => (await sessions.findBySecret(value)) !== undefined,
      [REFRESH_TOKEN]: (value) => refresh.isKnown(value),
      [DEVICE]: (value) => devices.verify(value) !== undefined,
      [TRUSTED_DEVICE]: (value) => trustedDevices.isStored(value),
      // It binds a form to whatever value the browser sends, so any of the right form serves.
      [SIGN_IN_FORM]: isSecretForm,
    };
  }

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<HttpRequest>();
    if (request.headers.cookie === undefined) return true;
    const sessionName = this.cookies.sessionName(request.protocol);
    let isReady: Promise<void> | undefined;
    for (const [name, isOwn] of Object.entries(this.areOwn)) {
      const sentAs = name === SESSION ? sessionName : name;
      const values = cookieValues(request, sentAs);
      if (values.length > 1) isReady = (isReady ?? Promise.resolve()).then(() => choose(request, name, values, isOwn));
      else if (sentAs !== name) readAs(request, name, values[0]);
    }
    return isReady === undefined || isReady.then(() => true);
  }
}

/** The first value remains if none is of this service: it is rejected like any other. */
async function choose(request: HttpRequest, name: string, values: readonly string[], isOwn: IsOwn): Promise<void> {
  for (const value of values) {
    if (await isOwn(value)) {
      readAs(request, name, value);
      return;
    }
  }
  readAs(request, name, values[0]);
}
