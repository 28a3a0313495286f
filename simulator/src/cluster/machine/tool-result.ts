/** How a program of a machine ended. */
export interface ToolResult {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}
