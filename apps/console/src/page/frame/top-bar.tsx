import { ActionIcon } from '@mantine/core';
import type { ReactNode } from 'react';
import { SchemeChoice } from './scheme-choice.tsx';
import { SessionMenu } from './session-menu.tsx';
import { TruthIndicator } from './truth-indicator.tsx';

interface TopBarProps {
  readonly children: ReactNode;
  readonly onHelp: () => void;
}

export function TopBar({ children, onHelp }: TopBarProps) {
  return (
    <header className="top-bar">
      <div className="top-bar-search">{children}</div>
      <TruthIndicator />
      <SessionMenu />
      <SchemeChoice />
      <ActionIcon variant="subtle" color="gray" aria-label="Keyboard shortcuts" title="Keyboard shortcuts (?)" onClick={onHelp}>
        ?
      </ActionIcon>
    </header>
  );
}
