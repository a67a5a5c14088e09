// Starts `carerails rails lsp` and hands every Colang document to it. All else is the server's.

const { LanguageClient } = require("vscode-languageclient/node");
const { workspace } = require("vscode");

let client;

/** What to start: the setting's first word is the program, the rest are its arguments. */
function serverOptions() {
  const [command, ...args] = workspace.getConfiguration("carerails").get("command");
  return { command, args };
}

async function activate(context) {
  const files = workspace.createFileSystemWatcher("**/*.co");
  client = new LanguageClient("carerails", "carerails", serverOptions(), {
    documentSelector: [{ scheme: "file", language: "colang" }],
    synchronize: { fileEvents: files },
  });
  context.subscriptions.push(files);
  await client.start();
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
