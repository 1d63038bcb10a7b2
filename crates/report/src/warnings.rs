//! Warnings on the terminal, apart from the verdict and the findings: what they are about is not what the verdict is about.

use anstyle::AnsiColor;
use nilometer_diagnose::Warning;

use crate::terminal::Screen;

/// Lines of evidence begin with a word of this width, as those of findings.
const INDENT: usize = 16;

impl Screen {
    pub(crate) fn warnings(&mut self, warnings: &[Warning]) {
        for warning in warnings {
            let word = self.paint("WARNING", AnsiColor::Yellow.on_default().bold());
            self.out.push('\n');
            self.line(&format!("{word}  {}: {}", warning.about.words(), warning.sentence), 9);
            if let Some(site) = &warning.called_at {
                self.site(site);
            }
            self.line(&format!("     change     {}", warning.change), INDENT);
        }
    }
}
