// Starts the bundled viewer on the service's own description. The service's
// Content-Security-Policy keeps the page from asking anyone else.

// The viewer has a dark theme, but does not choose it by itself.
const dark = window.matchMedia('(prefers-color-scheme: dark)');
const chooseTheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', chooseTheme);
chooseTheme();

/** Where the service begins, as this page was addressed: behind a proxy it may have a path. */
const root = new URL('.', document.baseURI).href.replace(/\/$/, '');

/** JSON with line breaks, character by character: the viewer's own way rounds long integers. */
function indentJson(text) {
  let indented = '';
  let depth = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g)) {
    if (token === '}' || token === ']') {
      depth -= 1;
      indented += /[{[]$/.test(indented) ? token : `\n${'  '.repeat(depth)}${token}`;
      continue;
    }
    if (/[{[,]$/.test(indented)) indented += `\n${'  '.repeat(depth)}`;
    indented += token === ':' ? ': ' : token;
    if (token === '{' || token === '[') depth += 1;
  }
  return indented;
}

/** Answers in JSON are shown with every digit; the long list of answers is folded. */
function gridkeepPlugin({ React }) {
  const { createElement } = React;
  return {
    wrapComponents: {
      responseBody: (Original) => (props) =>
        /json/.test(props.contentType ?? '') && typeof props.content === 'string'
          ? createElement('pre', { className: 'exact-json' }, indentJson(props.content))
          : createElement(Original, props),
      responses: (Original) => (props) =>
        createElement(
          'details',
          // What was just answered is shown.
          { className: 'folded', open: Boolean(props.tryItOutResponse) },
          createElement('summary', null, 'Responses'),
          createElement(Original, props),
        ),
    },
  };
}

async function startViewer() {
  const answer = await fetch(`${root}/grid-api/v1/openapi.json`);
  const spec = { ...(await answer.json()), servers: [{ url: root }] };
  window.SwaggerUIBundle({
    dom_id: '#viewer',
    spec,
    plugins: [gridkeepPlugin],
    validatorUrl: null,
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    defaultModelRendering: 'model',
    displayRequestDuration: true,
    tryItOutEnabled: true,
    filter: true,
  });
}

startViewer().catch((error) => {
  document.querySelector('#viewer').textContent =
    `The description cannot be read: ${error.message}`;
});
