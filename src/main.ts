#!/usr/bin/env node
// The command `gridkeep`. It looks at the version of Node before it loads anything: an older
// Node fails on the imports of our modules, with a message that helps no user. Hence no static
// import here, and no syntax that an old Node does not know.

const OLDEST_NODE = 24;

if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
  process.stderr.write(
    `gridkeep: needs Node ${OLDEST_NODE} or later, but ${process.execPath} is ${process.version}\n`,
  );
  process.exitCode = 1;
} else {
  void import('./cli/run-command.ts').then(({ runCommand }) => runCommand());
}
