import { Controller, Get, Header } from '@nestjs/common';
import { string } from 'valibot';
import { Public } from '../principal/access.decorator.js';
import { Answers } from '../server/openapi/answers.decorator.js';
import { ApiGroup, Operation } from '../server/openapi/operation.decorator.js';
import { START_PAGE } from './start-page.js';

/** The start page, so that a person sees the service answer. */
@Public()
@ApiGroup('Pages', 'For people, in HTML.')
@Controller()
export class StartController {
  @Get()
  @Operation({ summary: 'Start page' })
  @Answers(string())
  @Header('content-type', 'text/html; charset=utf-8')
  show(): string {
    return START_PAGE;
  }
}
