import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { RECOVERY_PAGES } from '../../../signin/auth/page-paths.js';
import type { View } from '../../../platform/http/page/view.js';
import { Public, SignInRoute } from '../../../kernel/principal/access.decorator.js';
import { AddressConfirmations } from '../../../signin/recovery/address-confirmations.service.js';
import { Res, type Reply } from '../../../platform/web/cookies.js';
import { FormBody, Operation } from '../../../platform/web/route.decorator.js';
import { FormPages } from '../form/form-pages.decorator.js';
import { Page } from '../page.decorator.js';
import { OPEN_ADDRESS, USE_ADDRESS } from './recovery-pages.openapi.js';
import { linkForm, linkQuery } from './recovery-pages.schema.js';
import { RecoveryPages } from './recovery-pages.service.js';

/** The page of the link that confirms a mail address. */
@Public()
@SignInRoute()
@FormPages('recovery')
@Controller()
export class AddressLinkPageController {
  constructor(
    private readonly confirmations: AddressConfirmations,
    private readonly pages: RecoveryPages,
  ) {}

  @Get(RECOVERY_PAGES.email)
  @Page()
  @Operation(OPEN_ADDRESS)
  show(@Query({ schema: linkQuery }) query: InferOutput<typeof linkQuery>, @Res() reply: Reply): Promise<View> {
    return this.pages.show('email', query, reply);
  }

  @Post(RECOVERY_PAGES.email)
  @HttpCode(200)
  @Page()
  @FormBody()
  @Operation(USE_ADDRESS)
  confirm(@Body({ schema: linkForm }) link: InferOutput<typeof linkForm>, @Res() reply: Reply): Promise<View> {
    return this.pages.finish('email', link, reply, () => this.confirmations.confirm(link.token));
  }
}
