import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import type { ReactNode } from 'react';
import { TruthIndicator } from './truth-indicator.tsx';

interface TopBarProps {
  readonly children: ReactNode;
  readonly onHelp: () => void;
}

export function TopBar({ children, onHelp }: TopBarProps) {
  const { setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const scheme = useComputedColorScheme('light');
  const other = scheme === 'dark' ? 'light' : 'dark';
  return (
    <header className="top-bar">
      <div className="top-bar-search">{children}</div>
      <TruthIndicator />
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={`Use ${other} colours`}
        title={`Use ${other} colours`}
        onClick={() => setColorScheme(other)}
      >
        <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true" fill="none" stroke="currentColor" strokeWidth="1.5">
          <circle cx="8" cy="8" r="6" />
          <path d="M8 2a6 6 0 0 1 0 12Z" fill="currentColor" />
        </svg>
      </ActionIcon>
      <ActionIcon variant="subtle" color="gray" aria-label="Keyboard shortcuts" title="Keyboard shortcuts (?)" onClick={onHelp}>
        ?
      </ActionIcon>
    </header>
  );
}
