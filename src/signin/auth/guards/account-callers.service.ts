import { Injectable } from '@nestjs/common';
import { Accounts } from '../../../identity/account/accounts.service.js';
import { LoginIds } from '../../../identity/account/login-id.js';
import { DeviceCookies } from '../../../identity/account/throttle/device-cookies.service.js';
import { KnownCallers, type LimitedRequest } from '../../../platform/rate-limit/known-callers.js';
import { cookieValues } from '../../../platform/web/cookies.js';
import type { HttpRequest } from '../../../platform/web/http-request.js';
import { DEVICE } from '../cookies.js';

/** Values of the device cookie that are verified, if other services of the domain use the same name. */
const MAX_DEVICES = 4;

/** Reads the login id of a request from its body, and the owner of its browser from the device cookie. */
@Injectable()
export class AccountCallers extends KnownCallers {
  constructor(
    private readonly accounts: Accounts,
    private readonly loginIds: LoginIds,
    private readonly devices: DeviceCookies,
  ) {
    super();
  }

  loginIdOf({ body }: LimitedRequest): string | undefined {
    if (typeof body !== 'object' || body === null || !('id' in body) || typeof body.id !== 'string') return undefined;
    return this.loginIds.formOf(body.id);
  }

  async deviceOwnerOf(request: LimitedRequest, loginId: string | undefined): Promise<string | undefined> {
    const cookies = cookieValues(request as LimitedRequest & HttpRequest, DEVICE, MAX_DEVICES);
    const device = cookies.map((cookie) => this.devices.verify(cookie)).find((each) => each !== undefined);
    if (!device || loginId === undefined) return device?.subject;
    // Only the signature of this service leads to the look-up.
    const account = await this.accounts.find(device.subject);
    return account && this.accounts.isUsernameOf(account, loginId) ? device.subject : undefined;
  }
}
