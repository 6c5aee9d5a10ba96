/** The page of a release: what changed, what to download, and how far each file was tried. */

/** The lines about a version in CHANGELOG.md. @param {string} changelog @param {string} version */
export function changesOf(changelog, version) {
  const sections = changelog.split(/^## /m).slice(1);
  const found = sections.find((section) => section.startsWith(`${version} (`));
  if (found === undefined) throw new Error(`CHANGELOG.md has no section "## ${version} (YYYY-MM-DD)"`);
  return found.slice(found.indexOf('\n')).trim();
}

/**
 * @param {object} about
 * @param {string} about.version
 * @param {string} about.changes
 * @param {string} about.url where the files can be downloaded
 * @param {{ name: string, size: number, hash: string, tried: string }[]} about.files
 */
export function notesOf({ version, changes, url, files }) {
  const rows = files.map(
    ({ name, size, tried }) => `| [${name}](${url}/${name}) | ${(size / 1e6).toFixed(1)} MB | ${tried} |`,
  );
  const archives = files.filter(({ name }) => /\.(tar\.gz|zip)$/.test(name));
  return `# sched ${version}

${changes}

## Files

| file | size | how far it was tried where it was built |
| ---- | ---- | --------------------------------------- |
${rows.join('\n')}

\`SHA256SUMS\` has the checksum of every file: \`sha256sum --check --ignore-missing SHA256SUMS\`. Each \`.cdx.json\` file lists the
packages inside the file of the same name, with their licenses.

For the action in a workflow:

\`\`\`yaml
version: ${version}
url: ${url}
sha256sums: |
${archives.map(({ name, hash }) => `  ${hash}  ${name}`).join('\n')}
\`\`\`
`;
}
