import { afterAll, beforeAll } from 'vitest';
import type { HttpClient } from '../http/http-client.js';
import { LoginStory, type StoryOptions } from './login-story.js';
import { DescribedClient, OpenApi } from '../http/open-api.js';
import type { Engine } from '../database/story-database.js';

/** A story that compares every request and every response with the OpenAPI description of the service. */
export class DescribedStory extends LoginStory {
  private described: OpenApi | undefined;

  get openApi(): OpenApi {
    if (!this.described) throw new Error('the story has not begun');
    return this.described;
  }

  override async begin(): Promise<void> {
    await super.begin();
    this.described = await OpenApi.of(this.service.url);
  }

  override client(): HttpClient {
    return new DescribedClient(this.service.url, this.openApi);
  }
}

/** Starts before the first test of a file and ends after its last. */
export function describedStoryOn(engine: Engine, options: StoryOptions): DescribedStory {
  const story = new DescribedStory(engine, options);
  beforeAll(() => story.begin());
  afterAll(() => story.end());
  return story;
}
