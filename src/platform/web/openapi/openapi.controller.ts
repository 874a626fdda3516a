import { Controller, Get, Header } from '@nestjs/common';
import * as v from 'valibot';
import { Public } from '../../../kernel/principal/access.decorator.js';
import { DOCS_POLICY } from './docs-style.js';
import { DESCRIPTION, OpenApi } from './openapi.service.js';
import { ApiTag, Operation, ResponseSchema } from '../route.decorator.js';

/** The OpenAPI document as JSON and as a page. */
@Public()
@ApiTag(DESCRIPTION)
@Controller()
export class OpenApiController {
  constructor(private readonly openApi: OpenApi) {}

  @Get('openapi.json')
  @Header('content-type', 'application/json')
  @Operation({ summary: 'The OpenAPI 3.1 document' })
  @ResponseSchema(v.looseObject({ openapi: v.string() }))
  async json(): Promise<string> {
    return (await this.openApi.describe()).json;
  }

  @Get('docs')
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', DOCS_POLICY)
  @Operation({ summary: 'The OpenAPI document as a page' })
  @ResponseSchema(v.string())
  async page(): Promise<string> {
    return (await this.openApi.describe()).page;
  }
}
