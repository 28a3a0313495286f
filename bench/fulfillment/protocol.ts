/** What the processes of this benchmark tell each other. */
import type { Load, LoadOptions } from './load.ts';

/** `ours` is the service, `plain` the plain design, `bare` a prepared select of a row by its id. All use one pool of connections. */
export type Design = 'ours' | 'plain' | 'bare';
export type Work = 'list-filtered' | 'get' | 'update-masked' | 'create';

export interface ServiceReady {
  readonly addresses: Readonly<Record<Exclude<Design, 'bare'>, string>>;
  readonly token: string;
}

/** To the service: be loaded inside of its process, at the handlers, and answer with a `Load`. */
export interface HandlerRequest extends LoadOptions {
  readonly design: Design;
  readonly work: Work;
}

export type HandlerAnswer = Load;
