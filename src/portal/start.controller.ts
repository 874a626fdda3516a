import { Controller, Get, Header } from '@nestjs/common';
import { Public } from '../principal/access.decorator.js';
import { START_PAGE } from './start-page.js';

/** The start page, so that a person sees the service answer. */
@Public()
@Controller()
export class StartController {
  @Get()
  @Header('content-type', 'text/html; charset=utf-8')
  show(): string {
    return START_PAGE;
  }
}
