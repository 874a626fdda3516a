import { Controller, Get } from '@nestjs/common';
import {
  AlsoHalfAuthenticated,
  Caller,
  Public,
  RequireAmr,
  RequireAuthority,
  RequireMfa,
  SecondFactorRoute,
} from '../../../src/kernel/principal/access.decorator.js';
import type { Principal } from '../../../src/kernel/principal/principal.js';

/** Routes with all kinds of access requirements, which return their caller. */
@Controller()
export class GuardedController {
  @Get('guarded')
  plain(@Caller() caller: Principal): object {
    return shown(caller);
  }

  @Get('guarded/admin')
  @RequireAuthority('ROLE_ADMIN')
  admin(@Caller() caller: Principal): object {
    return shown(caller);
  }

  @Get('guarded/otp')
  @RequireAmr('otp')
  otp(@Caller() caller: Principal): object {
    return shown(caller);
  }

  @Get('guarded/fresh')
  @RequireAmr('otp', { maxAge: 300 })
  fresh(@Caller() caller: Principal): object {
    return shown(caller);
  }

  @Get('guarded/mfa')
  @RequireMfa()
  mfa(@Caller() caller: Principal): object {
    return shown(caller);
  }

  @Get('guarded/fresh-admin')
  @RequireAuthority('ROLE_ADMIN')
  @RequireMfa({ maxAge: 300 })
  freshAdmin(@Caller() caller: Principal): object {
    return shown(caller);
  }

  @SecondFactorRoute()
  @Get('2fa/guarded')
  underSecondFactor(@Caller() caller: Principal): object {
    return shown(caller);
  }

  @SecondFactorRoute()
  @Get('2fa/guarded/half')
  @AlsoHalfAuthenticated()
  half(@Caller() caller: Principal): object {
    return shown(caller);
  }

  @SecondFactorRoute()
  @Get('2fa/guarded/half-admin')
  @AlsoHalfAuthenticated()
  @RequireAuthority('ROLE_ADMIN')
  halfAdmin(@Caller() caller: Principal): object {
    return shown(caller);
  }

  @SecondFactorRoute()
  @Get('2fa/guarded/half-fresh')
  @AlsoHalfAuthenticated()
  @RequireAmr('otp', { maxAge: 300 })
  halfFresh(@Caller() caller: Principal): object {
    return shown(caller);
  }

  // Begins like the routes of the second factor, but does not belong to them.
  @Get('2fa-guarded')
  @AlsoHalfAuthenticated()
  misnamed(@Caller() caller: Principal): object {
    return shown(caller);
  }

  @Get('guarded/open')
  @Public()
  open(@Caller() caller: Principal | undefined): object {
    return caller ? shown(caller) : { kind: 'nobody' };
  }
}

/** All its routes require an authority, unless a route declares another one. */
@Controller('guarded/class')
@RequireAuthority('ROLE_ADMIN')
export class GuardedClassController {
  @Get()
  admin(@Caller() caller: Principal): object {
    return shown(caller);
  }

  @Get('auditor')
  @RequireAuthority('ROLE_AUDITOR')
  auditor(@Caller() caller: Principal): object {
    return shown(caller);
  }
}

function shown({ kind, subject, via }: Principal): object {
  return { kind, subject, via };
}
