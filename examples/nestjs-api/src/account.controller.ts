import { Controller, Get, Post, Req } from '@nestjs/common';
import type { AuthenticatedRequest } from './access-token.guard.js';
import { RequireAcr, RequireAmr } from './proof.guard.js';

@Controller()
export class AccountController {
  @Get('balance')
  balance(@Req() { claims }: AuthenticatedRequest): object {
    return { owner: claims.sub, balance: 100 };
  }

  @RequireAcr('urn:login:acr:mfa')
  @Get('statements')
  statements(@Req() { claims }: AuthenticatedRequest): object {
    return { owner: claims.sub, statements: [] };
  }

  @RequireAmr('otp', { maxAge: 300 })
  @Post('payments')
  pay(@Req() { claims }: AuthenticatedRequest): object {
    return { owner: claims.sub, paid: true };
  }
}
