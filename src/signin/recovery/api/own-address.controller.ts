import { Body, Controller, Headers, HttpCode, Post } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { LANGUAGES } from '../../../identity/account/language.js';
import { Caller } from '../../../kernel/principal/access.decorator.js';
import type { FullPrincipal } from '../../../kernel/principal/principal.js';
import { acceptedLanguage } from '../../../platform/http/page/page-language.js';
import { RateLimited } from '../../../platform/rate-limit/rate-limited.decorator.js';
import { ApiTag, Operation } from '../../../platform/web/route.decorator.js';
import { MessagesProperties } from '../../messages/messages.properties.js';
import { OwnAddress } from '../own-address.service.js';
import { REQUEST_ADDRESS } from './recovery.openapi.js';
import { ownAddressSchema } from './recovery.schema.js';

/** The mail address of the signed-in user. */
@ApiTag('Signed-in user')
@RateLimited('self-service')
@Controller('me/email')
export class OwnAddressController {
  constructor(
    private readonly own: OwnAddress,
    private readonly properties: MessagesProperties,
  ) {}

  @Post()
  @HttpCode(202)
  @Operation(REQUEST_ADDRESS)
  async request(
    @Caller() caller: FullPrincipal,
    @Body({ schema: ownAddressSchema }) { email, pw }: InferOutput<typeof ownAddressSchema>,
    @Headers('accept-language') languages: string | undefined,
  ): Promise<void> {
    const language = acceptedLanguage(languages, LANGUAGES) ?? this.properties.defaultLanguage;
    await this.own.request(caller, { email, password: pw, language });
  }
}
