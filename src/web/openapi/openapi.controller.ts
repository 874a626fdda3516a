import { Controller, Get, Header } from '@nestjs/common';
import * as v from 'valibot';
import { Public } from '../../principal/access.decorator.js';
import { Answers } from './answers.decorator.js';
import { DOCS_POLICY } from './docs-style.js';
import { DESCRIPTION, OpenApi } from './openapi.service.js';
import { ApiGroup, Operation } from './operation.decorator.js';

/** The description of the interface, for programs and for people. */
@Public()
@ApiGroup(DESCRIPTION)
@Controller()
export class OpenApiController {
  constructor(private readonly openApi: OpenApi) {}

  @Get('openapi.json')
  @Header('content-type', 'application/json')
  @Operation({ summary: 'This description in OpenAPI 3.1' })
  @Answers(v.looseObject({ openapi: v.string() }))
  async json(): Promise<string> {
    return (await this.openApi.describe()).json;
  }

  @Get('docs')
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', DOCS_POLICY)
  @Operation({ summary: 'This description as a page' })
  @Answers(v.string())
  async page(): Promise<string> {
    return (await this.openApi.describe()).page;
  }
}
