import type { AgentOptions } from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';
import { present } from '@quartermaster/kernel';
import { Agent, type Dispatcher, ProxyAgent, Socks5ProxyAgent } from 'undici';

/** One agent for everything. HTTP/1.1: each watch has a connection of its own, so that one stalled stream never holds up another. */
export function createDispatcher(config: KubeConfig, tls: AgentOptions): Dispatcher {
  const options = config.createDispatcherOptions(config.getCurrentCluster(), tls);
  switch (options.type) {
    case 'agent':
      return new Agent({ allowH2: false, connect: present(options.connect) });
    case 'proxy':
      return new ProxyAgent({
        allowH2: false,
        uri: options.uri,
        requestTls: present(options.requestTls),
        connect: present(options.connect),
      });
    case 'socks':
      return new Socks5ProxyAgent(options.uri, { allowH2: false, requestTls: present(options.requestTls) });
    case 'none':
      return new Agent({ allowH2: false });
  }
}

/** Wraps a dispatcher so that `guard` runs at the last moment before a request's bytes leave; what it throws stops the request. */
export function guarded(dispatcher: Dispatcher, guard: () => void): Dispatcher {
  return dispatcher.compose((dispatch) => (options, handler) => dispatch(options, guardedHandler(handler, guard)));
}

function guardedHandler(handler: Dispatcher.DispatchHandler, guard: () => void): Dispatcher.DispatchHandler {
  return {
    onRequestStart: (controller, context) => {
      // undici calls this in the same turn in which it writes to the socket.
      guard();
      handler.onRequestStart?.(controller, context);
    },
    onRequestUpgrade: (...args) => handler.onRequestUpgrade?.(...args),
    onResponseStart: (...args) => handler.onResponseStart?.(...args),
    onResponseData: (...args) => handler.onResponseData?.(...args),
    onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
    onResponseError: (...args) => handler.onResponseError?.(...args),
  };
}
