//! Text that Prometheus scrapes: the writer of its two forms.
//!
//! In: families and their samples. Out: text. What must not happen here: a label that ends its own quotes, or a sample that stands
//! apart from its family.

/// The form of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The text format 0.0.4, which all scrapers and the node exporter's textfile collector read.
    Prometheus,
    /// `OpenMetrics` 1.0.
    OpenMetrics,
}

impl Form {
    /// What HTTP calls it.
    pub fn content_type(self) -> &'static str {
        match self {
            Self::Prometheus => "text/plain; version=0.0.4; charset=utf-8",
            Self::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
        }
    }
}

/// The text so far.
pub(crate) struct Exposition {
    form: Form,
    text: String,
}

impl Exposition {
    pub(crate) fn new(form: Form) -> Self {
        Self { form, text: String::new() }
    }

    /// Begins a family. The older form knows neither units nor `info` and `stateset`, and calls a family as its samples are called.
    pub(crate) fn family(&mut self, name: &str, kind: &str, unit: &str, help: &str) {
        if self.form == Form::Prometheus {
            let (end, kind) = match kind {
                "info" => ("_info", "gauge"),
                "stateset" => ("", "gauge"),
                "counter" => ("_total", "counter"),
                kind => ("", kind),
            };
            self.text += &format!("# HELP {name}{end} {help}\n# TYPE {name}{end} {kind}\n");
            return;
        }
        self.text += &format!("# TYPE {name} {kind}\n");
        if !unit.is_empty() {
            self.text += &format!("# UNIT {name} {unit}\n");
        }
        self.text += &format!("# HELP {name} {help}\n");
    }

    /// A sample of the family that was begun last.
    pub(crate) fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: &str) {
        let labels: Vec<String> =
            labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escape(value))).collect();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        self.text += &format!("{name}{labels} {value}\n");
    }

    /// The whole text.
    pub(crate) fn end(self) -> String {
        match self.form {
            Form::Prometheus => self.text,
            Form::OpenMetrics => self.text + "# EOF\n",
        }
    }
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
