/** Assumed (mcp.path): the MCP server answers at `/mcp` of its host. */
export const mcpPath = '/mcp';

/**
 * RFC 8707: the path of the resource that a client wants tokens for. `null` is the API, which is also meant without
 * `resource`. Undefined if this server has no such resource.
 */
export const resourceIn = ({ resource }: { resource?: string }, origin: string): string | null | undefined => {
  const target = resource?.replace(/\/$/, '') ?? origin;
  if (target === origin) return null;
  return target === `${origin}${mcpPath}` ? mcpPath : undefined;
};
