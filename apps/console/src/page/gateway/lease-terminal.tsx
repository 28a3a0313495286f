import { type SubmitEvent, useRef, useState } from 'react';
import { Choices } from '../parts/field-frame.tsx';
import { Panel } from '../parts/panel.tsx';
import { useQuery, useQueryChange } from '../parts/table/use-query.ts';
import { commandWords } from './command-words.ts';
import { type Shell, type ShellAsked, useShell } from './use-shell.ts';

interface LeaseTerminalProps {
  readonly lease: string;
  readonly services: readonly { readonly name: string; readonly count: number }[];
  /** While another tab is looked at, what runs goes on. */
  readonly isShown: boolean;
}

/** A command in a replica of a service, on a terminal. */
export function LeaseTerminal({ lease, services, isShown }: LeaseTerminalProps) {
  const screen = useRef<HTMLDivElement>(null);
  const shell = useShell(screen);
  const { state } = shell;
  return (
    <div hidden={!isShown}>
      <Panel title="Terminal">
        <TerminalForm lease={lease} services={services} shell={shell} />
        <div ref={screen} className="terminal" data-open={state.kind !== 'closed'} />
        <p className="dim log-note" role="status">
          {stateWords(shell)}
        </p>
      </Panel>
    </div>
  );
}

function TerminalForm({ lease, services, shell: { state, open, close } }: Omit<LeaseTerminalProps, 'isShown'> & { readonly shell: Shell }) {
  const [chosen] = useQuery('service');
  const [replicaText] = useQuery('replica');
  const change = useQueryChange();
  const [text, setText] = useState('sh');
  const service = services.find(({ name }) => name === chosen) ?? services[0];
  const count = service?.count ?? 0;
  const replica = Math.min(Math.max(0, Number(replicaText ?? 1) - 1 || 0), Math.max(0, count - 1));
  const command = commandWords(text);
  const isRunning = state.kind === 'connecting' || state.kind === 'open';
  const connect = (event: SubmitEvent): void => {
    event.preventDefault();
    if (service !== undefined) open({ lease, service: service.name, replica, command });
  };
  return (
    <form className="log-choices" onSubmit={connect}>
      <label>
        Service{' '}
        <select
          className="field"
          value={service?.name ?? ''}
          disabled={isRunning}
          onChange={({ currentTarget }) => change({ service: currentTarget.value, replica: null })}
        >
          <Choices choices={Object.fromEntries(services.map(({ name }) => [name, name]))} value={service?.name ?? ''} />
        </select>
      </label>
      <label>
        Replica{' '}
        <select
          className="field"
          value={replica + 1}
          disabled={isRunning}
          onChange={({ currentTarget }) => change({ replica: currentTarget.value === '1' ? null : currentTarget.value })}
        >
          {Array.from({ length: Math.max(1, count) }, (_, index) => (
            <option key={`replica ${index + 1}`}>{index + 1}</option>
          ))}
        </select>
      </label>
      <label>
        Command{' '}
        <input
          className="field mono"
          value={text}
          disabled={isRunning}
          autoComplete="off"
          spellCheck={false}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      {isRunning ? (
        <button type="button" className="quiet-button" onClick={close}>
          Disconnect
        </button>
      ) : (
        <button type="submit" className="quiet-button" disabled={service === undefined || command.length === 0}>
          {state.kind === 'ended' ? 'Reconnect' : 'Connect'}
        </button>
      )}
    </form>
  );
}

function stateWords({ state }: Shell): string {
  switch (state.kind) {
    case 'closed':
      return 'Not connected.';
    case 'connecting':
      return `Connecting to ${placeOf(state.asked)} …`;
    case 'open':
      return `Connected to ${placeOf(state.asked)}. While it has the focus, all keys go there; Shift+Tab leaves it.`;
    case 'ended':
      return `${state.words} It ran in ${placeOf(state.asked)}.`;
  }
}

const placeOf = ({ service, replica }: ShellAsked): string => `${service}, replica ${replica + 1}`;
