/** What the processes of this benchmark tell each other. */
import type { Load, LoadOptions } from './load.ts';

/**
 * `ours` is the service for an administrator, who does not ask for secrets, `revealed` the same for a controller, which is shown them; `plain` is the plain design, `bare` a prepared select of a
 * row by its id. All use one pool of connections.
 */
export type Design = 'ours' | 'revealed' | 'plain' | 'bare';
export type ServedDesign = 'ours' | 'plain';
export type Work = 'list-filtered' | 'get' | 'update-masked' | 'create';

export interface ServiceReady {
  readonly addresses: Readonly<Record<ServedDesign, string>>;
  readonly token: string;
}

/** To the service: be loaded inside of its process, at the handlers, and answer with a `Load`. */
export interface HandlerRequest extends LoadOptions {
  readonly design: Design;
  readonly work: Work;
}

export type HandlerAnswer = Load;
