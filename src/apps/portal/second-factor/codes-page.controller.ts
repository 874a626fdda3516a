import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { AlsoHalfAuthenticated, Caller, SecondFactorRoute } from '../../../kernel/principal/access.decorator.js';
import type { Principal } from '../../../kernel/principal/principal.js';
import { Res, type Reply } from '../../../platform/web/cookies.js';
import { Operation } from '../../../platform/web/route.decorator.js';
import { SECOND_FACTOR_PAGES } from '../../../signin/auth/page-paths.js';
import { FormPages } from '../form/form-pages.decorator.js';
import { returnToSchema, signOutForm } from '../form/forms.schema.js';
import { PageForms } from '../form/page-forms.service.js';
import { Page, type PageResult, SendsOn } from '../page.decorator.js';
import { CONFIRM_CODES, SHOW_CODES } from '../portal.openapi.js';
import { CodesPages } from './codes-pages.service.js';

/** The page with new backup codes (http-api section 5). */
@SecondFactorRoute()
@AlsoHalfAuthenticated()
@FormPages('second-factor')
@Controller(SECOND_FACTOR_PAGES.codes)
export class CodesPageController {
  constructor(
    private readonly pages: CodesPages,
    private readonly forms: PageForms,
  ) {}

  @Get()
  @Page()
  @Operation(SHOW_CODES)
  async show(
    @Caller() caller: Principal,
    @Query({ schema: returnToSchema }) { return_to: requested }: InferOutput<typeof returnToSchema>,
    @Res() reply: Reply,
  ): Promise<PageResult> {
    const returnTo = this.forms.returnTarget(requested);
    const page = await this.pages.page(caller, returnTo);
    if (page) return page;
    reply.seeOther(returnTo);
    return '';
  }

  /** A repeated form has no effect and is not an error. */
  @Post()
  @SendsOn()
  @Operation(CONFIRM_CODES)
  async confirm(
    @Caller() caller: Principal,
    @Body({ schema: signOutForm }) { return_to: returnTo }: InferOutput<typeof signOutForm>,
  ): Promise<{ readonly url: string }> {
    await this.pages.confirm(caller);
    return { url: this.forms.returnTarget(returnTo) };
  }
}
