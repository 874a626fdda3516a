import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { Public } from '../../../kernel/principal/access.decorator.js';
import { RateLimited } from '../../../platform/rate-limit/rate-limited.decorator.js';
import { ApiTag, Operation } from '../../../platform/web/route.decorator.js';
import { AddressConfirmations } from '../address-confirmations.service.js';
import { CONFIRM_ADDRESS } from './recovery.openapi.js';
import { linkSchema } from './recovery.schema.js';

/** The link that confirms a mail address. As for all mailed links, the token is the only credential. */
@Public()
@ApiTag('Recovery')
@RateLimited('recovery')
@Controller('account/email')
export class AddressLinkController {
  constructor(private readonly confirmations: AddressConfirmations) {}

  @Post()
  @HttpCode(204)
  @Operation(CONFIRM_ADDRESS)
  async confirm(@Body({ schema: linkSchema }) { token }: InferOutput<typeof linkSchema>): Promise<void> {
    await this.confirmations.confirm(token);
  }
}
