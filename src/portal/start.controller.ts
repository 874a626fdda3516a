import { Controller, Get, Header } from '@nestjs/common';
import { START_PAGE } from './start-page.js';

/** The start page, so that a person sees the service answer. */
@Controller()
export class StartController {
  @Get()
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('cache-control', 'no-store')
  @Header('content-security-policy', "default-src 'none'; frame-ancestors 'none'")
  @Header('x-content-type-options', 'nosniff')
  @Header('referrer-policy', 'no-referrer')
  show(): string {
    return START_PAGE;
  }
}
